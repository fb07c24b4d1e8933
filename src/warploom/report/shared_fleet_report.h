// Several models on one fleet, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/plan/shared_fleet.h"
#include "warploom/base/json.h"

namespace warploom {

struct SharedFleets {
  SharedFleet median, sure;
};

// `names` and `plans`: of each plan, in their order.
std::string shared_fleets_text(const SharedFleets& fleets, const std::vector<std::string>& names,
                               const std::vector<PlanResult>& plans);

// {"median": F, "confident": F}; F: {"deployments": [{"name", "rank", "words", "gpus", "usd_per_hour"}],
// "use": [{"gpu", "gpus", "there", "nodes", "racks", "power_kw"}], "usd_per_hour", "all_seen", "why_none"},
// "rank" as in the plan of that name, from 1; no deployments where nothing fits.
Json shared_fleets_json(const SharedFleets& fleets, const std::vector<std::string>& names,
                        const std::vector<PlanResult>& plans);

}  // namespace warploom
