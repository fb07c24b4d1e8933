#include "warploom/app/serving/group_figures.h"

namespace warploom {
namespace {

GroupFigures figures_of_group(std::string kind, std::string name, const std::vector<RequestRecord>& records,
                              const Slo* limits) {
  GroupFigures figures{.kind = std::move(kind), .name = std::move(name), .requests = std::ssize(records)};
  const ServingMetrics metrics = metrics_of(records, LatencyHistogram());
  figures.completed = metrics.completed;
  figures.ttft = metrics.ttft;
  figures.tpot = metrics.tpot;
  figures.e2el = metrics.e2el;
  if (limits != nullptr && figures.requests > 0)
    figures.good_share = double(requests_meeting(*limits, records)) / double(figures.requests);
  return figures;
}

}  // namespace

std::vector<GroupFigures> group_figures(const Workload& workload, std::span<const RequestRecord> records) {
  std::vector<GroupFigures> result;
  const auto members = [&](std::uint16_t RequestGroups::*group, std::size_t place) {
    std::vector<RequestRecord> own;
    for (std::size_t i = 0; i < workload.groups.size(); ++i)
      if (workload.groups[i].*group == place) own.push_back(records[i]);
    return own;
  };
  for (std::size_t i = 0; i < workload.classes.size(); ++i)
    result.push_back(figures_of_group("slo_class", workload.classes[i], members(&RequestGroups::slo_class, i),
                                      &workload.class_limits[i]));
  for (std::size_t i = 0; i < workload.tenants.size(); ++i)
    result.push_back(
        figures_of_group("tenant", workload.tenants[i], members(&RequestGroups::tenant, i), nullptr));
  return result;
}

}  // namespace warploom
