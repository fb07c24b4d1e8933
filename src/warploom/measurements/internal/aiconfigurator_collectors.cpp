#include "warploom/measurements/internal/aiconfigurator_collectors.h"

#include <array>

#include "warploom/kernels/kernel_hints.h"

namespace warploom {
namespace {

constexpr std::array<AiconfiguratorCollector, 3> kCollectors{
    {{.framework = name_of(Engine::Vllm),
      .keeps_one_scaled_weight = true,
      .counts_the_current_token = true,
      .too_fast_convolution = "0.31.0"},
     {.framework = name_of(Engine::Sglang), .launches_prompts = true},
     {.framework = name_of(Engine::TensorRtLlm),
      .rotates_past_l2 = true,
      .launches_older = true,
      .times_block_sparse = false}}};
constexpr AiconfiguratorCollector kPlain{};

}  // namespace

const AiconfiguratorCollector& collector_of(std::string_view framework) {
  for (const AiconfiguratorCollector& collector : kCollectors)
    if (collector.framework == framework) return collector;
  return kPlain;
}

}  // namespace warploom
