#include "warploom/app/serving/state_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {

void add_states(KvCapacityOptions& options, const EngineLaunch& launch, const std::string& version,
                std::optional<std::int64_t> asked_requests) {
  const EngineSpec& engine = engine_named(launch.config.engine);
  if (engine.kept_states != nullptr) options.kept_states = engine.kept_states(launch, version);
  if (engine.state_pool != nullptr) options.state_pool = engine.state_pool(launch, asked_requests);
}

void take_state_pool(ServingConfig& config, const StatePool& pool, const std::string& model) {
  config.state_pool = pool;
  if (pool.slots > 0) {
    config.max_num_seqs = std::min(*config.max_num_seqs, pool.requests);
    return;
  }
  const ServingConfig usual;
  if (!config.max_mamba_cache_size && config.mamba_full_memory_ratio == usual.mamba_full_memory_ratio) return;
  throw InvalidInput(
      fmt::format("{}: is about states of recurrent layers, which {} has not, expected none",
                  config.max_mamba_cache_size ? "max_mamba_cache_size" : "mamba_full_memory_ratio", model));
}

void check_tiers_of_states(const ServingConfig& config, bool tiers, const std::string& model) {
  const bool keeps = config.state_pool.slots > 0 || config.kv_layout.states_kept != StateKeeping::None;
  if (!keeps || !config.enable_prefix_caching || !tiers) return;
  throw Unsupported(fmt::format(
      "{}: states of recurrent layers, which {} has, are not modelled below the GPU's memory, "
      "expected none",
      config.enable_hierarchical_cache ? "enable_hierarchical_cache" : "kv_offloading_size", model));
}

}  // namespace warploom
