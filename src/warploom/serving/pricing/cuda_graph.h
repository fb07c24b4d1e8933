// Which batch sizes run as CUDA graphs, and what size they are padded to.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "warploom/serving/host/host_model.h"
#include "warploom/serving/pricing/graph_sizes.h"

namespace warploom {

// The sizes that `rule` names up to `largest`, ascending.
std::vector<std::int64_t> graph_sizes_by_rule(const GraphSizes& rule, std::int64_t largest);

// An engine's capture sizes (GraphSizes; vLLM's of today where none are given) up to the largest, which is
// as configured, else by the engine's rule (vllm/config, `cudagraph_capture_sizes`). With several query
// tokens for each decoding request every size is rounded up to a multiple of them, and sizes above the
// largest go (adjust_cudagraph_sizes_for_spec_decode). Empty in eager mode. `listed`, in any order: in place
// of the rule's.
std::vector<std::int64_t> cuda_graph_sizes(std::int64_t max_num_seqs, bool enforce_eager,
                                           std::int64_t query_tokens = 1,
                                           std::optional<std::int64_t> largest_size = {},
                                           const GraphSizes& rule = {},
                                           const std::vector<std::int64_t>& listed = {});

// What a step's rows are padded to: the smallest of the sizes, ascending, that holds them. Routed experts
// compute the rows that were added as any other, unless the engine gives them no expert. Rows that are added
// to prompts alone are all alike and choose the same experts, which those prompts chose too.
struct StepPadding {
  StepPadding() = default;
  explicit StepPadding(std::vector<std::int64_t> captured, bool skipped_by_experts = false,
                       std::vector<std::int64_t> of_prompts = {})
      : sizes(std::move(captured)), prompts(std::move(of_prompts)), experts_skip(skipped_by_experts) {}

  std::vector<std::int64_t> sizes;    // empty: none is padded
  std::vector<std::int64_t> prompts;  // of steps with parts of prompts; empty: as of others
  bool experts_skip = false;

  const std::vector<std::int64_t>& sizes_of(std::int64_t chunk_tokens) const {
    return chunk_tokens > 0 && !prompts.empty() ? prompts : sizes;
  }
  bool skipped_by_experts(std::int64_t chunk_tokens) const {
    return experts_skip || (chunk_tokens > 0 && !prompts.empty());
  }
};

// The largest steps that run as CUDA graphs, in tokens; 0: none.
struct GraphLimits {
  std::int64_t decode = 0;        // steps without parts of prompts
  std::int64_t prompts = 0;       // steps with parts of prompts
  bool decode_in_pieces = false;  // graphs of parts of the model, in steps of either kind
  bool prompts_in_pieces = false;

  // For a step of `tokens` new tokens, `chunk_tokens` of them in parts of prompts (requests with several new
  // tokens that are no drafts).
  LaunchMode mode(std::int64_t chunk_tokens, std::int64_t tokens) const {
    const bool holds = tokens <= (chunk_tokens > 0 ? prompts : decode);
    if (!holds) return chunk_tokens > 0 ? LaunchMode::Kernels : LaunchMode::DecodeKernels;
    return (chunk_tokens > 0 ? prompts_in_pieces : decode_in_pieces) ? LaunchMode::Pieces : LaunchMode::Graph;
  }
};

// The smallest capture size that holds `tokens`; `tokens` itself when none does.
std::int64_t padded_tokens(const std::vector<std::int64_t>& sizes, std::int64_t tokens);

}  // namespace warploom
