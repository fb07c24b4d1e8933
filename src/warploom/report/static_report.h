// A static batch: its two phases and where the time went.
#pragma once

#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/serving/static_batch.h"

namespace warploom {

struct StaticBreakdown {
  std::string model, gpu, engine;
  std::int64_t gpus = 1;
  std::int64_t kv_cache_tokens = 0;  // that one replica has room for
  std::int64_t batch = 1, input_tokens = 1, output_tokens = 1;
  StaticBatchTime time;
  std::vector<KernelTime> kernels;  // of all steps, longest first
};

std::string static_text(const StaticBreakdown& result);
// {"model", "gpu", "engine", "gpus", "kv_cache_tokens", "batch", "input_tokens", "output_tokens",
// "prefill_ms", "decode_mean_ms", "decode_median_ms", "total_ms", "total_p10_ms", "total_p90_ms",
// "host_ms", "collectives_ms", "output_throughput" in tokens/s, "kernels": [{"label", "family", "calls",
// "time_ms", "share", "tier", "stands_in"}], "kernel_sources" (kernel_sources.h)}
Json static_json(const StaticBreakdown& result);

}  // namespace warploom
