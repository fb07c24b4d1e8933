// A static batch, its two phases and where the time went: what `static` finds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/serving/pricing/step_pricer.h"
#include "warploom/serving/static_batch.h"

namespace warploom {

struct StaticBreakdown {
  std::string model, gpu, engine, host_profile;
  std::string expert_routing;  // of a mixture of experts; else empty
  std::int64_t gpus = 1;
  std::int64_t kv_cache_tokens = 0;  // that one replica has room for
  std::int64_t batch = 1, input_tokens = 1, output_tokens = 1;
  StaticBatchTime time;
  Seconds client_way;               // of each request before its prompt is in the engine's queue
  std::vector<KernelTime> kernels;  // of all steps, longest first
};

}  // namespace warploom
