#include "warploom/report/shared_fleet_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/counted.h"
#include "warploom/report/plan_words.h"

namespace warploom {
namespace {

bool all_priced(const std::vector<PlanResult>& plans) {
  return std::all_of(plans.begin(), plans.end(), [](const PlanResult& plan) { return plan.priced; });
}

std::string words_of(const PlanResult& plan, std::size_t index) {
  const PlanPoint& point = plan.search.points[index];
  return deployment_words(plan.labels[index], point.configuration, point.fleet);
}

std::string fleet_text(const SharedFleet& fleet, const std::vector<std::string>& names,
                       const std::vector<PlanResult>& plans) {
  if (fleet.chosen.empty()) return fmt::format(" none: {}\n", fleet.why_none);
  std::string text = all_priced(plans) ? fmt::format(" ${:.2f}/h\n", fleet.dollars_per_hour) : "\n";
  for (std::size_t i = 0; i < fleet.chosen.size(); ++i)
    text += fmt::format("  {}: {}, {}\n", names[i], words_of(plans[i], fleet.chosen[i]),
                        counted(plans[i].search.points[fleet.chosen[i]].gpus, "GPU"));
  for (const FleetUse& use : fleet.use) {
    text += fmt::format("  {}: {}{} in {}", use.gpu, counted(use.gpus, "GPU"),
                        use.there > 0 ? fmt::format(" of {}", use.there) : "", counted(use.nodes, "node"));
    if (use.power_kw) text += fmt::format(", {:.4g} kW at most", *use.power_kw);
    if (use.racks) text += ", " + counted(*use.racks, "rack");
    text += "\n";
  }
  return text + (fleet.all_seen ? "" : "  (the best that was seen; there are too many combinations)\n");
}

Json fleet_json(const SharedFleet& fleet, const std::vector<std::string>& names,
                const std::vector<PlanResult>& plans) {
  Json document = {{"deployments", Json::array()}, {"use", Json::array()}};
  for (std::size_t i = 0; i < fleet.chosen.size(); ++i) {
    const PlanPoint& point = plans[i].search.points[fleet.chosen[i]];
    document["deployments"].push_back(
        {{"name", names[i]},
         {"rank", fleet.chosen[i] + 1},
         {"words", words_of(plans[i], fleet.chosen[i])},
         {"gpus", point.gpus},
         {"usd_per_hour", plans[i].priced ? Json(point.dollars_per_hour) : Json(nullptr)}});
  }
  for (const FleetUse& use : fleet.use)
    document["use"].push_back({{"gpu", use.gpu},
                               {"gpus", use.gpus},
                               {"there", use.there > 0 ? Json(use.there) : Json(nullptr)},
                               {"nodes", use.nodes},
                               {"racks", use.racks ? Json(*use.racks) : Json(nullptr)},
                               {"power_kw", use.power_kw ? Json(*use.power_kw) : Json(nullptr)}});
  const bool priced = !fleet.chosen.empty() && all_priced(plans);
  document["usd_per_hour"] = priced ? Json(fleet.dollars_per_hour) : Json(nullptr);
  document["all_seen"] = fleet.all_seen;
  document["why_none"] = fleet.why_none;
  return document;
}

}  // namespace

std::string shared_fleets_text(const SharedFleets& fleets, const std::vector<std::string>& names,
                               const std::vector<PlanResult>& plans) {
  return "== on one fleet ==\nby the median:" + fleet_text(fleets.median, names, plans) +
         "90 % sure:" + fleet_text(fleets.sure, names, plans);
}

Json shared_fleets_json(const SharedFleets& fleets, const std::vector<std::string>& names,
                        const std::vector<PlanResult>& plans) {
  return {{"median", fleet_json(fleets.median, names, plans)},
          {"confident", fleet_json(fleets.sure, names, plans)}};
}

}  // namespace warploom
