#include "warploom/serving/batching/trtllm_scheduler.h"

#include <algorithm>

namespace warploom {

inline std::int64_t TrtllmScheduler::reserved(const SchedulerState& state, const Sequence& sequence,
                                              std::int64_t tokens) const {
  if (!limits_.guaranteed_no_evict) return sequence.computed_tokens + tokens;
  // The last output token is never written to the cache; drafts behind it are.
  return std::int64_t(sequence.input_tokens) + sequence.output_tokens - 1 + state.drafts.most_proposed() +
         state.lookahead();
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

bool TrtllmScheduler::schedule_decodes(SchedulerState& state, ScheduledBatch& batch, std::int64_t& budget,
                                       bool& stopped) {
  const bool one_token = state.drafts.most_proposed() == 0;
  const auto has_room = [&](const Sequence& sequence) {
    return reserved(state, sequence, 1 + state.lookahead()) <= sequence.room_tokens;
  };
  bool prompts = false;
  for (std::size_t i = 0; budget > 0; ++i) {
    if (one_token) i = book_decoding(state, batch, i, budget, has_room);
    if (i >= state.running.size() || budget <= 0) break;
    const Slot slot = state.running[i];
    Sequence& sequence = state.sequences[slot];
    if (sequence.idle()) continue;
    if (sequence.rest() != 1) {
      prompts = true;
      continue;
    }
    const std::int64_t tokens = state.decode_tokens(sequence, budget);
    bool kept = true;
    while (kept && !state.hold(sequence, reserved(state, sequence, tokens + state.lookahead()))) {
      kept = stop_last(state, i);
      stopped = true;
    }
    if (!kept) break;
    batch.add_decode(slot, state, tokens);
    budget -= tokens;
  }
  return prompts;
}

void TrtllmScheduler::admit_waiting(SchedulerState& state, ScheduledBatch& batch, std::int64_t budget) {
  const std::int64_t block = state.kv_cache.block_size();
  // A request whose keys and values are on the way has its place in the batch (_torch/pyexecutor, which takes
  // requests in while fewer than max_batch_size are active).
  while (!state.waiting.empty() &&
         std::ssize(state.running) + std::ssize(state.fetching) < limits_.max_num_seqs) {
    const Slot slot = state.waiting.front();
    Sequence& sequence = state.sequences[slot];
    const PrefixMatch match = state.match_prefix(sequence);
    const HeadOfQueue head = state.fetch_head(match);
    if (head == HeadOfQueue::Fetching) continue;
    if (head == HeadOfQueue::Blocked) break;
    const std::int64_t found = match.units * state.kv_cache.unit_tokens();
    const std::int64_t tokens = chunk_of(sequence.rest() - found, budget, block);
    if (tokens <= 0 || !state.fits(sequence, match, reserved(state, sequence, found + tokens))) break;
    state.take_prefix(sequence, match);
    const bool held = state.hold(sequence, reserved(state, sequence, tokens));
    WARPLOOM_ASSERT(held);
    state.waiting.pop_front();
    state.running.push_back(slot);
    batch.add(slot, sequence, std::int32_t(tokens));
    budget -= tokens;
  }
}

bool TrtllmScheduler::waits(const SchedulerState& state, const ScheduledBatch& batch, std::int64_t budget) {
  if (limits_.batch_wait_timeout_iters == 0 || state.waiting.empty() || batch.decode_contexts.empty())
    return false;
  const double wanted = limits_.batch_wait_max_tokens_ratio * double(limits_.max_num_batched_tokens);
  std::int64_t tokens = batch.tokens();
  auto places = limits_.max_num_seqs - std::ssize(state.running);
  for (const Slot slot : state.waiting) {
    const std::int64_t chunk = chunk_of(state.sequences[slot].rest(), budget, state.kv_cache.block_size());
    if (chunk <= 0 || places-- <= 0) break;
    tokens += chunk;
    budget -= chunk;
  }
  const bool over = steps_waited_ >= limits_.batch_wait_timeout_iters || double(tokens) >= wanted;
  steps_waited_ = over ? 0 : steps_waited_ + 1;
  return !over;
}

void TrtllmScheduler::schedule(SchedulerState& state, ScheduledBatch& batch) {
  std::int64_t budget = limits_.max_num_batched_tokens;
  bool stopped = false;
  const bool prompts = schedule_decodes(state, batch, budget, stopped);
  // A prompt that was cut goes on before others start.
  for (std::size_t i = 0; prompts && i < state.running.size() && budget > 0; ++i) {
    Sequence& sequence = state.sequences[state.running[i]];
    if (sequence.idle() || sequence.rest() <= 1) continue;
    const std::int64_t tokens = chunk_of(sequence.rest(), budget, state.kv_cache.block_size());
    if (tokens <= 0 || !state.hold(sequence, reserved(state, sequence, tokens))) continue;
    batch.add(state.running[i], sequence, std::int32_t(tokens));
    budget -= tokens;
  }
  if (!stopped && !state.prompts_wait && !waits(state, batch, budget)) admit_waiting(state, batch, budget);
  if (batch.empty()) free_blocks_of_prompts(state);
}

// Prompts that were cut may hold all blocks between them, so that none goes on.
void TrtllmScheduler::free_blocks_of_prompts(SchedulerState& state) {
  const auto idle = [&](Slot slot) { return state.sequences[slot].idle(); };
  if (state.running.size() < 2 || std::any_of(state.running.begin(), state.running.end(), idle)) return;
  stop_last(state, 0);
}

}  // namespace warploom
