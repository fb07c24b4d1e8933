// The requests of a plan: as many of them as a run takes, at the rate that it asks for.
#pragma once

#include <cstdint>
#include <optional>

#include "warploom/app/plan/plan_request.h"
#include "warploom/planner/load_profile.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// The load of a request, grown, at exactly the rate it asks; `requests` in place of as many as it says,
// `rate` (requests/s, later turns included) in place of its own where above 0. Throws what open_workload
// throws.
Workload plan_workload(const PlanRequest& request, std::optional<std::int64_t> requests = {}, double rate = 0,
                       double per_arrival = 1);

// Whether another seed makes another load, or other drafts are accepted.
bool is_drawn(const PlanRequest& request, const Workload& workload);

// What bounds and runs need to know of it.
LoadProfile plan_profile(const PlanRequest& request, const Workload& workload, bool cached);

}  // namespace warploom
