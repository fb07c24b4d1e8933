// A plan as text and as JSON.
#pragma once

#include <string>

#include "warploom/app/plan/check_plan.h"
#include "warploom/app/plan/make_plan.h"
#include "warploom/base/json.h"

namespace warploom {

// The best deployments at the median and with kernels at p90, a ranking of at most `rows` with the limit that
// binds each, what would change them, both fronts as plots, and where the other configurations went.
std::string plan_text(const PlanResult& plan, std::size_t rows = 12);

// {"model", "workload", "objective", "limits", "search": {"configurations", "candidates", "with_point",
// "without_point": [{"reason", "configurations", "example"}], "short_runs", "whole_runs", "partial"},
// "best", "best_confident" (ranks from 1, or null), "points": [...], "fronts": {"speed", "cost"} (ranks),
// "what_if": [...], "prices": [...], "nearest", "contradiction", "store_failure"}. A point has its
// deployment, money under "usd_..." keys (null without prices), "rented_gpus"
// and "rented_nodes" (null where GPUs are rented singly), "rent" (what is paid for each part), "room" (null
// unless limits of a machine room were asked for), "limits" with what they use, "binding",
// "relaxed_by", "confident", "pessimistic" and the metrics of `simulate`.
Json plan_json(const PlanResult& plan);

// A measured run beside the promise; {"generator", "requests", "promised_rate", "measured_rate", "kept",
// "figures": [{"name", "promised", "pessimistic", "measured", "limit"}]}, figures in ms or shares, null where
// there is none.
std::string plan_check_text(const PlanCheck& check);
Json plan_check_json(const PlanCheck& check);

}  // namespace warploom
