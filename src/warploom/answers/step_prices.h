// The time of one step after another, for callers inside a loop: planners, routers, mock servers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warploom/answers/answer_watch.h"
#include "warploom/answers/session.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/json.h"
#include "warploom/serving/pricing/cuda_graph.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

struct StepPrice {
  Seconds p10, p50, p90;  // on the GPU
  Seconds host;           // that the engine adds to p50 when such steps follow each other
  Seconds time() const { return p50 + host; }
};

// A prompt's part in a step: `tokens` new ones after `context` in the cache.
struct PromptPart {
  std::int64_t tokens = 0, context = 0;
};

// One model on one GPU under one engine. Steps are priced as `simulate` prices them: from tables that fill
// as they are asked, padded to CUDA graphs. Data-parallel ranks that step together have as many tokens each,
// as in `step`. Not thread-safe; the session must outlive it.
class StepPrices {
 public:
  // `setup`: the fields of a ServingSetupRequest, flat or nested. Throws as resolve_serving, and
  // InvalidInput on fields that bear on no step. `watch` is told what was left out, and not kept.
  StepPrices(const Session& session, const Json& setup, const AnswerWatch& watch = {});

  // Each request adds a token to `context` in the cache. Throws InvalidInput on sizes below 0 or beyond 1e9
  // and on a step without a token.
  StepPrice decode(std::int64_t requests, std::int64_t context);
  StepPrice mixed(std::span<const std::int64_t> contexts, std::span<const PromptPart> prompts);

  const ServingSetup& setup() const { return setup_; }

 private:
  StepPrice priced();  // of batch_

  ServingSetup setup_;
  GraphLimits limits_;
  StepBatch batch_;
  std::vector<std::int32_t> contexts_;
  std::vector<PrefillChunk> chunks_;
};

}  // namespace warploom
