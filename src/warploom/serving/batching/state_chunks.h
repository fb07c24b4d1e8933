// Where vLLM's steps cut a prompt so that states of recurrent layers can be kept
// (behaviour of _mamba_block_aligned_split in vllm/v1/core/sched/scheduler.py of 0.33.0).
#pragma once

#include <cstdint>

namespace warploom {

// Where an engine keeps states. page 0: nowhere.
struct StatePlaces {
  std::int64_t page = 0;       // tokens between two places
  bool within_chunks = false;  // the kernel writes the last place of a prompt without a stop there
};

// What might be computed of a request in a step.
struct PromptChunk {
  std::int64_t start = 0;   // tokens before it
  std::int64_t tokens = 0;  // as many as there is room for, at least 0
  std::int64_t prompt = 0;  // tokens of the prompt
  std::int64_t known = 0;   // and of the outputs so far
  std::int64_t branch = 0;  // where the prompt leaves others that were kept; 0: nowhere
};

// As many of them as the step takes: up to the next place where a state is to be kept. 0 where a part that is
// not the last would end before any place. `most`: tokens of a prompt in any step. page >= 1. O(1).
std::int64_t tokens_to_state(const PromptChunk& chunk, const StatePlaces& places, std::int64_t most);

}  // namespace warploom
