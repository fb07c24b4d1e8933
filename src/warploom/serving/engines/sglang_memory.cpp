#include "warploom/serving/engines/sglang_memory.h"

#include <algorithm>
#include <array>

namespace warploom {
namespace {

constexpr double kMibOfGib = 1024;

// Sizes of prompts that are captured: up to `first` tokens by steps of the row, each row from the last on.
std::int64_t captured_prompts(std::int64_t chunk) {
  struct Stretch {
    std::int64_t first, last, step;
  };
  constexpr std::array<Stretch, 5> kStretches{
      {{4, 32, 4}, {48, 256, 16}, {288, 512, 32}, {576, 1024, 64}, {1280, 4096, 256}}};
  constexpr std::int64_t kLargeFirst = 4608, kLargeStep = 512;
  const auto count = [&](std::int64_t first, std::int64_t last, std::int64_t step) {
    return last < first ? 0 : (last - first) / step + 1;
  };
  std::int64_t sizes = count(kLargeFirst, chunk, kLargeStep);
  for (const Stretch& s : kStretches) sizes += count(s.first, std::min(s.last, chunk), s.step);
  return sizes;
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
