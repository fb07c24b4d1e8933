// The share of a GPU's memory that SGLang gives to weights and KV cache when none is asked for.
#pragma once

#include <array>
#include <cstdint>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/pricing/graph_sizes.h"

namespace warploom {

// Tokens of the prompts that are captured since 0.5.10 (0.5.23: model_executor/runner, logged at start).
inline constexpr std::array<std::int64_t, 8> kSglangFewPromptTokens{4, 8, 12, 16, 20, 24, 28, 32};
inline constexpr std::array<GraphStretch, 5> kSglangPromptStretches{
    {{48, 16}, {256, 32}, {512, 64}, {1024, 256}, {4096, 512}}};
inline constexpr GraphSizes kSglangPromptGraphs{
    .few = kSglangFewPromptTokens, .stretches = kSglangPromptStretches, .at_most_sequences = false};

// What of it follows from a version and a GPU.
struct SglangReserve {
  std::int64_t chunk_tokens = 0;   // of a prompt in one step
  std::int64_t largest_graph = 0;  // requests
  bool keeps_least = true;         // since 0.5.3: half a GiB beside, and at least 10 GiB of large GPUs
  bool prompt_graphs = false;      // steps of prompts run as graphs
  double beside_gib = 0;           // for a model that drafts, and for DeepEP's buffers
};

// memory - reserve, of memory, between 0.5 and 0.95. The reserve is that of a server which runs prompts and
// decodes, with a model of ordinary attention that reads text; sources: server_args.py of 0.5.3 to 0.5.18,
// arg_groups/memory_hook.py of 0.5.20 and 0.5.23. O(1).
double sglang_static_share(const SglangReserve& reserve, const ServingConfig& config, const GpuSpec& gpu);

}  // namespace warploom
