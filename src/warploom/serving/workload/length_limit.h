// What an engine makes of requests that are longer than it takes, each alone. Beyond its max_model_len it
// turns away a prompt that leaves no room for a token and stops an output where the limit is reached
// (vllm/v1/engine/processor.py and v1/core/sched/utils.py; sglang/srt/managers/tokenizer_manager.py and
// scheduler.py). Where prompts are not split, it turns away a prompt that is longer than a step
// (tensorrt_llm/executor/base_worker.py: without chunked context a prompt stays below max_num_tokens).
#pragma once

#include <cstdint>
#include <optional>

#include "warploom/serving/workload/workload.h"

namespace warploom {

struct LimitedWorkload {
  Workload workload;          // outputs cut, prompts that are too long marked as rejected
  std::int64_t rejected = 0;  // requests
  std::int64_t cut = 0;
};

// In tokens; 0: none.
struct LengthLimits {
  std::int64_t max_model_len = 0;  // of prompt and output
  std::int64_t step = 0;           // of what a step must compute at once
  // Whether that is the output too: what was computed before a preemption is computed again as one prompt.
  bool recomputes = false;

  bool any() const { return max_model_len > 0 || step > 0; }
};

// Absent when every request fits. O(requests).
std::optional<LimitedWorkload> limit_lengths(const Workload& workload, const LengthLimits& limits);

}  // namespace warploom
