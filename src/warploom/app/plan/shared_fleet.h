// Several plans on one fleet: which deployment of each, so that all of them fit into the GPUs, the power and
// the racks that there are, at the least cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/plan/make_plan.h"

namespace warploom {

struct FleetLimits {
  std::vector<std::string> gpus;  // "H100-SXM=16": so many there are; empty: as many as it takes, of any
  std::int64_t max_gpus = 0;      // of all kinds together; 0: no limit
  double max_power_kw = 0;        // as PlanTask has it, like the next
  std::int64_t max_racks = 0;
  std::optional<double> rack_power_kw;
  static FieldTable describe();
};

// What the deployments take of one kind of GPU. Instances of different models share nodes.
struct FleetUse {
  std::string gpu;         // canonical name
  std::int64_t gpus = 0;   // that work
  std::int64_t there = 0;  // of them there are; 0: nobody said
  std::int64_t nodes = 0;
  std::optional<std::int64_t> racks;  // absent: unknown
  std::optional<double> power_kw;     // the same
};

struct SharedFleet {
  std::vector<std::size_t> chosen;  // of each plan, an index into its points; empty: nothing fits
  std::vector<FleetUse> use;
  double dollars_per_hour = 0;  // nodes that are rented whole and shared are paid once
  bool all_seen = true;         // false: a cheaper one may have been missed
  std::string why_none;         // where nothing fits
};

// `sure`: of the points that are 90 % sure, else of those of the median. Of plans that kept every
// configuration (PlanRequest::every_point). Throws InvalidInput "fleet: ..." on what is no limit, NotFound on
// names.
SharedFleet share_fleet(const FleetLimits& limits, const std::vector<PlanResult>& plans, bool sure);

}  // namespace warploom
