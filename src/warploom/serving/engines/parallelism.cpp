#include "warploom/serving/engines/parallelism.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "warploom/base/error.h"

namespace warploom {
namespace {

template <std::size_t N>
void require_one_of(const std::array<std::string_view, N>& names, std::string_view field,
                    std::string_view value) {
  if (std::find(names.begin(), names.end(), value) != names.end()) return;
  throw InvalidInput(fmt::format("serving configuration: {} is '{}', expected one of: {}", field, value,
                                 fmt::join(names, ", ")));
}

ExpertTransport vllm_transport(const std::string& backend) {
  constexpr std::array<std::string_view, 3> kKnown{"allgather_reducescatter", "deepep_high_throughput",
                                                   "deepep_low_latency"};
  require_one_of(kKnown, "all2all_backend", backend);
  if (backend == "deepep_high_throughput") return ExpertTransport::DeepEpNormal;
  if (backend == "deepep_low_latency") return ExpertTransport::DeepEpLowLatency;
  return ExpertTransport::Collectives;
}

ExpertTransport sglang_transport(const std::string& backend, const std::string& mode) {
  constexpr std::array<std::string_view, 2> kBackends{"none", "deepep"};
  constexpr std::array<std::string_view, 3> kModes{"auto", "normal", "low_latency"};
  require_one_of(kBackends, "moe_a2a_backend", backend);
  require_one_of(kModes, "deepep_mode", mode);
  if (backend == "none") return ExpertTransport::Collectives;
  if (mode == "normal") return ExpertTransport::DeepEpNormal;
  return mode == "auto" ? ExpertTransport::DeepEpAuto : ExpertTransport::DeepEpLowLatency;
}

}  // namespace

ServingConfig spread_attention(ServingConfig config, const ModelArchitecture& model) {
  if (!config.enable_dp_attention) {
    if (config.engine == "sglang" && model.mixture) {
      config.instances *= config.data_parallel_size;
      config.data_parallel_size = 1;
    }
    return config;
  }
  config.enable_dp_attention = false;
  if (!model.mixture)
    throw InvalidInput(fmt::format(
        "enable_dp_attention: {} has no experts, expected a mixture-of-experts model", model.name));
  const std::int64_t gpus = config.tensor_parallel_size;
  const std::int64_t groups = config.engine == "trtllm" ? gpus : config.data_parallel_size;
  if (gpus % groups != 0)
    throw InvalidInput(
        fmt::format("enable_dp_attention: data_parallel_size is {}, expected a divisor of the {} GPUs of "
                    "tensor_parallel_size",
                    groups, gpus));
  config.tensor_parallel_size = gpus / groups;
  config.data_parallel_size = groups;
  return config;
}

Sharding sharding_of(const ServingConfig& config, const ModelArchitecture& model) {
  Sharding sharding;
  sharding.tensor_parallel = config.tensor_parallel_size;
  sharding.pipeline_parallel = config.pipeline_parallel_size;
  sharding.decode_context_parallel = config.decode_context_parallel_size;
  sharding.prefill_context_parallel = config.prefill_context_parallel_size;
  if (model.mixture) {
    sharding.attention_data_parallel = config.data_parallel_size;
    if (config.enable_expert_parallel) {
      sharding.expert_parallel = config.tensor_parallel_size * config.data_parallel_size;
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

ExpertTransport expert_transport(const ServingConfig& config, const Sharding& sharding) {
  const ExpertTransport wanted = config.engine == "sglang"
                                     ? sglang_transport(config.moe_a2a_backend, config.deepep_mode)
                                     : vllm_transport(config.all2all_backend);
  const bool spread =
      sharding.attention_data_parallel > 1 && sharding.expert_parallel == sharding.moe_ranks();
  if (wanted == ExpertTransport::Collectives || spread) return wanted;
  if (config.engine == "vllm") return ExpertTransport::Collectives;  // ranks then hold the same tokens
  throw Unsupported(
      "moe_a2a_backend deepep is modelled with data-parallel attention and experts spread whole, expected "
      "enable_dp_attention with data_parallel_size above 1 and expert parallelism");
}

}  // namespace warploom
