// How engines spread a model over GPUs, from their flags.
#pragma once

#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/pricing/kernel_names.h"

namespace warploom {

// Brings what engines say of data parallelism into vLLM's terms, where data_parallel_size groups of
// tensor_parallel_size GPUs have requests of their own and share a mixture of experts. Throws InvalidInput on
// sizes that do not divide and on data-parallel attention of a dense model.
ServingConfig spread_attention(ServingConfig config, const ModelArchitecture& model);

// The way back: `config` with what asks its engine for `groups` groups of tensor_parallel_size GPUs each.
// Throws Unsupported where the engine has no such groups.
ServingConfig ask_for_groups(ServingConfig config, std::int64_t groups);

// vLLM's data-parallel ranks of a mixture of experts share its experts and step together
// (attention_data_parallel), those of a dense model are independent replicas. Checked by check_sharding's
// callers.
Sharding sharding_of(const ServingConfig& config, const ModelArchitecture& model);

// What carries tokens to experts on other GPUs; DeepEP needs experts spread whole and data-parallel
// attention. Throws InvalidInput on names that are no engine's, Unsupported on what was never measured.
ExpertTransport expert_transport(const ServingConfig& config, const Sharding& sharding,
                                 bool links_nodes = false);

// The rows of experts that a GPU then has room for.
ExpertRows expert_rows(ExpertTransport transport);

}  // namespace warploom
