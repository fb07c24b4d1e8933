// Use case `static`: requests that start together and produce the same number of tokens.
#pragma once

#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/serving/static_breakdown.h"
#include "warploom/base/fields.h"

namespace warploom {

struct StaticBatchRequest {
  ServingSetupRequest setup;
  std::int64_t batch = 1;
  std::int64_t input_tokens = 1, output_tokens = 1;  // no default: an answer is of sizes that were asked
  static FieldTable describe();
};

// Throws InvalidInput on sizes below 1 or a batch whose keys and values do not fit into memory, and what
// resolve_serving throws.
StaticBreakdown price_static_batch(const StaticBatchRequest& request,
                                   std::shared_ptr<const LatencyModel> latency);
StaticBreakdown price_static_batch(const StaticBatchRequest& request);  // opens setup.predictor
// The same by a setup that was resolved from the request's; adds to its pricer's sums.
StaticBreakdown price_static_batch(const StaticBatchRequest& request, const ServingSetup& setup);

}  // namespace warploom
