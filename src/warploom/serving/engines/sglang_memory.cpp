#include "warploom/serving/engines/sglang_memory.h"

#include <algorithm>
#include <array>

#include "warploom/serving/pricing/cuda_graph.h"

namespace warploom {
namespace {

constexpr double kMibOfGib = 1024;

std::size_t captured_prompts(std::int64_t chunk) {
  return graph_sizes_by_rule(kSglangPromptGraphs, chunk).size();
}

// MiB that ranks of attention pad their steps with.
double padding_of_ranks(const SglangReserve& reserve, const ServingConfig& config) {
  constexpr double kSequenceMib = 3, kSequenceOfManyMib = 4.5;
  constexpr std::int64_t kMany = 300;
  if (!config.enable_dp_attention) return 0;
  return double(reserve.largest_graph * config.data_parallel_size) *
         (reserve.largest_graph > kMany ? kSequenceOfManyMib : kSequenceMib);
}

}  // namespace

double sglang_static_share(const SglangReserve& reserve, const ServingConfig& config, const GpuSpec& gpu) {
  constexpr double kChunkTokenMib = 1.5, kSequenceMib = 2, kPromptGraphMib = 8, kEightGpusMib = 1024;
  constexpr double kBesideMib = 512, kLeastMib = 10 * kMibOfGib, kLargeMib = 60 * kMibOfGib;
  constexpr std::int64_t kFewestTokens = 2048;
  const double memory = to_gibibytes(gpu.memory_capacity) * kMibOfGib;
  const double ranks = double(config.tensor_parallel_size * config.pipeline_parallel_size);
  double kept = kChunkTokenMib * double(std::max(reserve.chunk_tokens, kFewestTokens)) +
                kSequenceMib * double(reserve.largest_graph) + ranks / 8 * kEightGpusMib +
                padding_of_ranks(reserve, config);
  if (reserve.keeps_least) kept += kBesideMib;
  if (reserve.prompt_graphs) kept += kPromptGraphMib * double(captured_prompts(reserve.chunk_tokens));
  if (reserve.keeps_least && memory > kLargeMib) kept = std::max(kept, kLeastMib);
  kept += reserve.beside_gib * kMibOfGib;
  return std::clamp((memory - kept) / memory, 0.5, 0.95);
}

}  // namespace warploom
