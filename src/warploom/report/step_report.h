// One forward pass, kernel by kernel.
#pragma once

#include <string>

#include "warploom/app/serving/step_breakdown.h"
#include "warploom/base/json.h"

namespace warploom {

std::string step_text(const StepBreakdown& step);
// {"model", "gpu", "engine", "expert_routing" (empty without experts), "gpus", "kv_cache_tokens", "batch",
// "tokens", "step_ms", "gpu_ms": {"p10","p50","p90"}, "host_ms", "hidden_ms", "kernels": [{"label", "family",
// "calls", "time_us", "p10_us", "p90_us", "share", "bound", "tier", "extrapolated", "framework", "version",
// "kernel", "stands_in", "stands_in_for", "in_step", "scheme_priced" (where it is another)}], "afd" (as
// afd_json has it, where attention and feed-forward are apart)}
Json step_json(const StepBreakdown& step);

}  // namespace warploom
