// A batch of requests that start together and produce the same number of tokens: one forward pass over all
// prompts, then output_tokens - 1 steps of one token each. No scheduler, no limits.
#pragma once

#include <cstdint>
#include <span>

#include "warploom/base/units.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

struct StaticBatchTime {
  Seconds prefill;      // the first step, which yields token 1
  Seconds decode_mean;  // of the other steps; 0 when there are none
  Seconds decode_median;
  Seconds total;
  Seconds total_p10, total_p90;
  Seconds host;         // part of total
  Seconds collectives;  // part of total
};

// Equals simulate() of the same requests arriving together within limits that hold them, to the nanosecond,
// on one pipeline stage. Of `config` the host, its graphs and async_scheduling are read. Throws InvalidInput
// on an empty batch or lengths below 1. O(output_tokens * batch); adds to the pricer's sums.
StaticBatchTime price_static_batch(std::span<const std::int32_t> prompts, std::int64_t output_tokens,
                                   StepPricer& pricer, const ServingConfig& config);

}  // namespace warploom
