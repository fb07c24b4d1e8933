// A static batch: its two phases and where the time went.
#pragma once

#include <string>

#include "warploom/app/serving/static_breakdown.h"
#include "warploom/base/json.h"

namespace warploom {

std::string static_text(const StaticBreakdown& result);
// {"model", "gpu", "engine", "expert_routing", "gpus", "kv_cache_tokens", "batch", "input_tokens",
// "output_tokens", "prefill_ms", "decode_mean_ms", "decode_median_ms", "total_ms", "total_p10_ms",
// "total_p90_ms", "host_ms", "collectives_ms", "output_throughput" in tokens/s, "kernels": [{"label",
// "family", "calls", "time_ms", "share", "tier", "stands_in"}], "kernel_sources" (kernel_sources.h)}
Json static_json(const StaticBreakdown& result);

}  // namespace warploom
