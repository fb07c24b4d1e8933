// A run by class of service and by tenant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warploom/serving/metrics.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

struct GroupFigures {
  std::string kind, name;  // "slo_class" or "tenant"
  std::int64_t requests = 0, completed = 0;
  LatencySummary ttft, tpot, e2el;   // of the completed ones
  std::optional<double> good_share;  // of all: completed within the limits of the class
};

// Classes, then tenants, in the workload's order; empty where requests have neither.
std::vector<GroupFigures> group_figures(const Workload& workload, std::span<const RequestRecord> records);

}  // namespace warploom
