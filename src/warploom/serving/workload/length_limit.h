// What an engine makes of requests that are longer than its max_model_len: it turns away a prompt that leaves
// no room for a token and stops an output where the limit is reached, each request for itself
// (vllm/v1/engine/processor.py and v1/core/sched/utils.py; sglang/srt/managers/tokenizer_manager.py and
// scheduler.py).
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

// Absent when every request fits. max_model_len >= 1. O(requests).
std::optional<LimitedWorkload> limit_lengths(const Workload& workload, std::int64_t max_model_len);

}  // namespace warploom
