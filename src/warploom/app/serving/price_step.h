// Use case `step`: one forward pass, kernel by kernel.
#pragma once

#include <string>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/serving/step_breakdown.h"
#include "warploom/base/fields.h"

namespace warploom {

// A batch in words: "4x1024" is 4 requests of 1,024 tokens each.
struct BatchShape {
  std::int64_t requests = 0, tokens = 0;
};
// Throws InvalidInput that starts with `where` unless both are whole numbers from 1 to 100 million.
BatchShape parse_batch_shape(const std::string& text, const std::string& where);

struct StepRequest {
  ServingSetupRequest setup;
  std::string
      prefill;         // "BxL": B whole prompts of L tokens, none cached (one token is a decode step); and or
  std::string decode;  // "BxL": B requests that add one token to L cached ones
  static FieldTable describe();
};

// The operator graph of exactly that batch, without the padding of CUDA graphs. Throws InvalidInput when
// neither is given, and what resolve_serving throws.
StepBreakdown price_step(const StepRequest& request, std::shared_ptr<const LatencyModel> latency);
StepBreakdown price_step(const StepRequest& request);  // opens setup.predictor

}  // namespace warploom
