#include "warploom/serving/batching/vllm_scheduler.h"

#include <algorithm>

namespace warploom {

std::int64_t VllmScheduler::chunk_of(const Sequence& sequence) const {
  const std::int64_t rest = sequence.known_tokens() - sequence.computed_tokens;
  const std::int64_t threshold = limits_.long_prefill_token_threshold;
  return threshold > 0 ? std::min(rest, threshold) : rest;
}

void VllmScheduler::schedule(SchedulerState& state, ScheduledBatch& batch) {
  bool preempted = false;
  const std::int64_t budget = schedule_running(state, batch, limits_.max_num_batched_tokens, preempted);
  if (!preempted && !state.waiting.empty()) schedule_waiting(state, batch, budget);
}

std::int64_t VllmScheduler::schedule_running(SchedulerState& state, ScheduledBatch& batch,
                                             std::int64_t budget, bool& preempted) {
  for (std::size_t i = 0; i < state.running.size() && budget > 0; ++i) {
    const Slot slot = state.running[i];
    Sequence& sequence = state.sequences[slot];
    if (sequence.idle()) continue;
    const std::int64_t tokens = std::min(chunk_of(sequence), budget);
    while (!state.grow(sequence, tokens)) {
      // The victim is the last one that still has something to do; what drains frees its blocks by itself.
      std::size_t victim = state.running.size();
      while (victim > i && state.sequences[state.running[victim - 1]].idle()) --victim;
      const Slot victim_slot = state.running[victim - 1];
      state.running.erase(state.running.begin() + std::ptrdiff_t(victim - 1));
      state.preempt(victim_slot);
      preempted = true;
      if (victim_slot == slot) return budget;
    }
    batch.add(slot, sequence, std::int32_t(tokens));
    budget -= tokens;
  }
  return budget;
}

bool VllmScheduler::admit(SchedulerState& state, Sequence& sequence, std::int64_t budget) const {
  const std::int64_t rest = chunk_of(sequence);
  if (!limits_.enable_chunked_prefill && rest > budget) return false;
  const std::int64_t missing = state.kv_cache.blocks_for(sequence.known_tokens()) - sequence.blocks;
  if (limits_.reserve_full_prompt && missing > state.kv_cache.free_blocks()) return false;
  return state.grow(sequence, std::min(rest, budget));
}

std::int64_t VllmScheduler::schedule_waiting(SchedulerState& state, ScheduledBatch& batch,
                                             std::int64_t budget) {
  while (!state.waiting.empty() && budget > 0 && std::int64_t(state.running.size()) < limits_.max_num_seqs) {
    const Slot slot = state.waiting.front();
    Sequence& sequence = state.sequences[slot];
    state.take_prefix(sequence);
    if (!admit(state, sequence, budget)) {
      state.release(sequence);
      break;
    }
    const std::int64_t tokens = std::min(chunk_of(sequence), budget);
    state.waiting.pop_front();
    state.running.push_back(slot);
    batch.add(slot, sequence, std::int32_t(tokens));
    budget -= tokens;
  }
  return budget;
}

}  // namespace warploom
