// Groups of GPUs that each attend to requests of their own and share a mixture of experts.
#pragma once

#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"
#include "warploom/serving/config/serving_config.h"

namespace warploom {

// `config` with its tensor-parallel GPUs split into `groups`. Throws InvalidInput on a dense model and on
// sizes that do not divide.
ServingConfig group_attention(ServingConfig config, const ModelArchitecture& model, std::int64_t groups);

// Whether ranks have requests of their own and every expert lies on one of them, as DeepEP needs.
inline bool spreads_experts(const Sharding& sharding) {
  return sharding.attention_data_parallel > 1 && sharding.expert_parallel == sharding.moe_ranks();
}

}  // namespace warploom
