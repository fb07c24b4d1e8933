#include "warploom/serving/engines/parallelism.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

// Attention ranks that were counted are groups of tensor_parallel_size GPUs.
ServingConfig count_attention_ranks(ServingConfig config) {
  if (!config.num_attention_ranks) return config;
  const std::int64_t ranks = *config.num_attention_ranks, each = config.tensor_parallel_size;
  if (config.num_ffn_ranks == 0)
    throw InvalidInput(fmt::format(
        "num_ffn_ranks is 0 beside `num_attention_ranks` {}: no GPU holds the experts, expected at least 1",
        ranks));
  if (ranks < 1)
    throw InvalidInput(fmt::format(
        "num_attention_ranks is {}: no GPU computes attention, expected at least {} (tensor_parallel_size)",
        ranks, each));
  if (ranks % each != 0)
    throw InvalidInput(fmt::format(
        "num_attention_ranks is {}, expected a multiple of the {} GPUs of a group (tensor_parallel_size), "
        "as {}",
        ranks, each, ranks < each ? each : ranks / each * each));
  if (config.data_parallel_size == 1) config.data_parallel_size = ranks / each;
  if (config.data_parallel_size * each != ranks)
    throw InvalidInput(
        fmt::format("num_attention_ranks is {}, expected {}: {} groups (data_parallel_size) of {} GPUs",
                    ranks, config.data_parallel_size * each, config.data_parallel_size, each));
  return config;
}

}  // namespace

ServingConfig spread_attention(ServingConfig config, const ModelArchitecture& model) {
  const EngineSpec& engine = engine_named(config.engine);
  return count_attention_ranks(engine.spread_attention(std::move(config), model));
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
    sharding.feed_forward_ranks = config.num_ffn_ranks;
    sharding.gate_on_attention = config.compute_gate_on_attention;
    if (config.enable_expert_parallel) {
      sharding.expert_parallel = sharding.moe_ranks();
      if (config.enable_eplb) sharding.redundant_experts = config.num_redundant_experts;
    }
  } else {
    if (config.num_ffn_ranks > 0) {
      throw InvalidInput(fmt::format(
          "num_ffn_ranks: {} has no experts to hold apart, expected a mixture-of-experts model", model.name));
    }
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
  const Sharding& of_experts = sharding.apart() ? sharding.feed_forward_side() : sharding;
  return engine_named(config.engine).expert_transport(config, of_experts, links_nodes);
}

ExpertRows expert_rows(ExpertTransport transport) {
  switch (transport) {
    case ExpertTransport::Collectives:
      break;
    case ExpertTransport::DeepEpNormal:
    case ExpertTransport::DeepEpAuto:
    case ExpertTransport::NvLinkAllToAll:
      return ExpertRows::OfOwnExperts;
    case ExpertTransport::DeepEpLowLatency:
      return ExpertRows::Reserved;
    case ExpertTransport::MegaMoe:
      return ExpertRows::Elsewhere;
  }
  return ExpertRows::OfAllGroups;
}

}  // namespace warploom
