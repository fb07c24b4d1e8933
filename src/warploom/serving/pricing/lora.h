// Low-rank adapters beside the linear layers: for each, a product down to the rank and one back up, grouped
// by adapter (vLLM's and SGLang's shrink and expand kernels). Attention and dense MLP layers have them,
// experts have not.
#pragma once

#include <cstdint>

#include "warploom/base/units.h"
#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"
#include "warploom/models/step_plan.h"

namespace warploom {

struct LoraShape {
  std::int64_t adapters = 1;  // among which the tokens of a step are spread evenly
  std::int64_t rank = 16;
};

// Two operators for each of qkv, o, gate and up, and down projection, as one GPU runs them: a batch of
// `adapters` products, the step's tokens spread over them. Throws Unsupported on layers other than softmax
// attention with its own heads.
ScaledOperators lora_operators(const ModelArchitecture& model, const Sharding& sharding,
                               const LoraShape& shape);

// Weights of all adapters on one GPU.
Bytes lora_weights(const ModelArchitecture& model, const Sharding& sharding, const LoraShape& shape);

}  // namespace warploom
