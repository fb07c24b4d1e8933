#include "warploom/serving/engines/parallelism.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {

ServingConfig spread_attention(ServingConfig config, const ModelArchitecture& model) {
  const EngineSpec& engine = engine_named(config.engine);
  return engine.spread_attention(std::move(config), model);
}

ServingConfig ask_for_groups(ServingConfig config, std::int64_t groups) {
  const EngineSpec& engine = engine_named(config.engine);
  return groups > 1 ? engine.ask_for_groups(std::move(config), groups) : config;
}

Sharding sharding_of(const ServingConfig& config, const ModelArchitecture& model) {
  Sharding sharding;
  sharding.tensor_parallel = config.tensor_parallel_size;
  sharding.pipeline_parallel = config.pipeline_parallel_size;
  sharding.decode_context_parallel = config.decode_context_parallel_size;
  sharding.prefill_context_parallel = config.prefill_context_parallel_size;
  if (model.mixture() != nullptr) {
    sharding.attention_data_parallel = config.data_parallel_size;
    if (config.enable_expert_parallel) {
      sharding.expert_parallel = config.tensor_parallel_size * config.data_parallel_size;
      if (config.enable_eplb) sharding.redundant_experts = config.num_redundant_experts;
    }
  } else {
    if (config.enable_expert_parallel) {
      throw InvalidInput(fmt::format(
          "enable_expert_parallel: {} has no experts, expected a mixture-of-experts model", model.name));
    }
    sharding.data_parallel = config.data_parallel_size;
  }
  return sharding;
}

ExpertTransport expert_transport(const ServingConfig& config, const Sharding& sharding, bool links_nodes) {
  check(config, "serving configuration");
  return engine_named(config.engine).expert_transport(config, sharding, links_nodes);
}

}  // namespace warploom
