#include "warploom/serving/batching/trtllm_scheduler.h"

#include <algorithm>

namespace warploom {

bool TrtllmScheduler::reserve(SchedulerState& state, Sequence& sequence, std::int64_t tokens) const {
  // The last output token is never written to the cache.
  const std::int64_t held = limits_.guaranteed_no_evict
                                ? std::int64_t(sequence.input_tokens) + sequence.output_tokens - 1
                                : sequence.computed_tokens + tokens;
  return state.hold(sequence, held);
}

std::int64_t TrtllmScheduler::chunk_of(std::int64_t rest, std::int64_t budget, std::int64_t block) const {
  if (rest <= budget) return rest;
  return limits_.enable_chunked_prefill ? budget / block * block : 0;
}

bool TrtllmScheduler::stop_last(SchedulerState& state, std::size_t index) {
  std::size_t victim = state.running.size();
  while (victim > index && state.sequences[state.running[victim - 1]].idle()) --victim;
  const Slot slot = state.running[victim - 1];
  state.running.erase(state.running.begin() + std::ptrdiff_t(victim - 1));
  state.preempt(slot);
  return victim - 1 != index;
}

void TrtllmScheduler::schedule(SchedulerState& state, ScheduledBatch& batch) {
  std::int64_t budget = limits_.max_num_batched_tokens;
  const std::int64_t block = state.kv_cache.block_size();
  bool stopped = false;
  const auto decodes = [](const Sequence& sequence) {
    return sequence.known_tokens() - sequence.computed_tokens == 1;
  };
  for (std::size_t i = 0; i < state.running.size() && budget > 0; ++i) {
    const Slot slot = state.running[i];
    Sequence& sequence = state.sequences[slot];
    if (sequence.idle() || !decodes(sequence)) continue;
    bool kept = true;
    while (kept && !reserve(state, sequence, 1)) {
      kept = stop_last(state, i);
      stopped = true;
    }
    if (!kept) break;
    batch.add(slot, sequence, 1);
    --budget;
  }
  // A prompt that was cut goes on before others start.
  for (std::size_t i = 0; i < state.running.size() && budget > 0; ++i) {
    Sequence& sequence = state.sequences[state.running[i]];
    const std::int64_t rest = sequence.known_tokens() - sequence.computed_tokens;
    if (sequence.idle() || rest <= 1) continue;
    const std::int64_t tokens = chunk_of(rest, budget, block);
    if (tokens <= 0 || !reserve(state, sequence, tokens)) continue;
    batch.add(state.running[i], sequence, std::int32_t(tokens));
    budget -= tokens;
  }
  while (!stopped && !state.waiting.empty() && std::ssize(state.running) < limits_.max_num_seqs) {
    const Slot slot = state.waiting.front();
    Sequence& sequence = state.sequences[slot];
    state.take_prefix(sequence);
    const std::int64_t tokens = chunk_of(sequence.known_tokens() - sequence.computed_tokens, budget, block);
    if (tokens <= 0 || !reserve(state, sequence, tokens)) {
      state.release(sequence);
      break;
    }
    state.waiting.pop_front();
    state.running.push_back(slot);
    batch.add(slot, sequence, std::int32_t(tokens));
    budget -= tokens;
  }
}

}  // namespace warploom
