#include "warploom/measurements/internal/aiconfigurator_collectors.h"

#include <algorithm>

#include "warploom/kernels/kernel_hints.h"

namespace warploom {
namespace {

constexpr std::array<AiconfiguratorCollector, 2> kCollectors{
    {{.framework = name_of(Engine::Vllm),
      .keeps_one_scaled_weight = true,
      .counts_the_current_token = true,
      .eager_block_fp8 = {"0.22.0", "0.24.0"},
      .eager_mla = "0.14.0"},
     {.framework = name_of(Engine::TensorRtLlm), .rotates_past_l2 = true}}};
constexpr AiconfiguratorCollector kPlain{};

}  // namespace

bool AiconfiguratorCollector::times_block_fp8_eagerly(std::string_view version) const {
  return !version.empty() &&
         std::find(eager_block_fp8.begin(), eager_block_fp8.end(), version) != eager_block_fp8.end();
}

bool AiconfiguratorCollector::times_mla_eagerly(std::string_view version) const {
  return !version.empty() && version == eager_mla;
}

const AiconfiguratorCollector& collector_of(std::string_view framework) {
  for (const AiconfiguratorCollector& collector : kCollectors)
    if (collector.framework == framework) return collector;
  return kPlain;
}

}  // namespace warploom
