#include "warploom/serving/batching/vllm_scheduler.h"

#include <algorithm>
#include <tuple>

namespace warploom {
namespace {

auto rank(const SchedulerState& state, std::size_t place) {
  const Sequence& sequence = state.sequences[state.running[place]];
  return std::tuple(sequence.priority, sequence.arrival, sequence.request);
}

}  // namespace

std::int64_t VllmScheduler::chunk_of(std::int64_t rest) const {
  const std::int64_t threshold = limits_.long_prefill_token_threshold;
  return threshold > 0 ? std::min(rest, threshold) : rest;
}

std::int64_t VllmScheduler::chunk_to_state(const Sequence& sequence, std::int64_t computed,
                                           std::int64_t tokens) const {
  if (limits_.states.page == 0) return tokens;
  return tokens_to_state({.start = computed,
                          .tokens = tokens,
                          .prompt = sequence.input_tokens,
                          .known = sequence.known_tokens(),
                          .branch = sequence.branch_tokens},
                         limits_.states, chunk_of(limits_.max_num_batched_tokens));
}

std::int64_t VllmScheduler::chunk_of_prompt(SchedulerState& state, Slot slot, std::int64_t computed,
                                            std::int64_t most) {
  return inputs_.limit(state, slot, computed, chunk_to_state(state.sequences[slot], computed, most));
}

void VllmScheduler::schedule(SchedulerState& state, ScheduledBatch& batch) {
  bool preempted = false;
  inputs_.begin(state);
  const std::int64_t budget = plan_running(state, batch, limits_.max_num_batched_tokens, preempted);
  for (const Planned& planned : planned_) book(planned, state, batch);
  if (!preempted && !state.waiting.empty()) schedule_waiting(state, batch, budget);
}

std::size_t VllmScheduler::victim(const SchedulerState& state, std::size_t index) const {
  if (!limits_.by_priority) {
    std::size_t last = state.running.size() - 1;
    while (last > index && state.sequences[state.running[last]].idle()) --last;
    return last;
  }
  std::size_t last = index;
  for (std::size_t i = 0; i < state.running.size(); ++i)
    if (!state.sequences[state.running[i]].idle() && rank(state, i) > rank(state, last)) last = i;
  return last;
}

bool VllmScheduler::lower_ends(const SchedulerState& state, std::size_t index) const {
  if (!limits_.by_priority) return false;
  for (std::size_t i = 0; i < state.running.size(); ++i)
    if (state.sequences[state.running[i]].idle() && rank(state, i) > rank(state, index)) return true;
  return false;
}

void VllmScheduler::preempt(SchedulerState& state, ScheduledBatch& batch, std::size_t place,
                            std::int64_t& budget) {
  const Slot slot = state.running[place];
  state.running.erase(state.running.begin() + std::ptrdiff_t(place));
  inputs_.give_back(state, batch, slot);
  state.preempt(slot);
  const auto held = std::find_if(planned_.begin(), planned_.end(),
                                 [&](const Planned& planned) { return planned.slot == slot; });
  if (held == planned_.end()) return;
  budget += held->tokens;
  planned_.erase(held);
}

std::int64_t VllmScheduler::plan_running(SchedulerState& state, ScheduledBatch& batch, std::int64_t budget,
                                         bool& preempted) {
  planned_.clear();
  // Most of a step: requests that decode one token each and find a block for it, in the order of the queue.
  const bool one_token = !limits_.by_priority && state.drafts.most_proposed() == 0 && state.lookahead() == 0;
  const auto has_room = [&](Sequence& sequence) {
    return sequence.outputs_scheduled > 0 && state.grow(sequence, 1);
  };
  for (std::size_t i = 0; budget > 0; ++i) {
    if (one_token) i = book_decoding(state, batch, i, budget, has_room);
    if (i >= state.running.size() || budget <= 0) break;
    const Slot slot = state.running[i];
    Sequence& sequence = state.sequences[slot];
    if (sequence.idle()) continue;
    const bool decodes = sequence.decodes();
    const std::int64_t most = std::min(chunk_of(sequence.rest()), budget);
    const std::int64_t tokens = decodes ? state.decode_tokens(sequence, budget)
                                        : chunk_of_prompt(state, slot, sequence.computed_tokens, most);
    if (tokens == 0) continue;  // no room for the image that comes next
    while (!state.grow(sequence, tokens + (decodes ? state.lookahead() : 0))) {
      const std::size_t place = victim(state, i);
      const bool itself = place == i;
      if (itself && lower_ends(state, i)) {
        preempted = true;
        return budget;
      }
      preempt(state, batch, place, budget);
      preempted = true;
      if (itself) return budget;
      if (place < i) --i;
    }
    if (!decodes) inputs_.take(state, batch);
    // First come, first served takes back only what stands behind: nothing that is planned already.
    if (limits_.by_priority)
      planned_.push_back({slot, tokens, decodes});
    else
      book({slot, tokens, decodes}, state, batch);
    budget -= tokens;
  }
  return budget;
}

VllmScheduler::Admission VllmScheduler::admit(SchedulerState& state, ScheduledBatch& batch, Slot slot,
                                              const PrefixMatch& match, std::int64_t budget) {
  Sequence& sequence = state.sequences[slot];
  const std::int64_t found = match.units * state.kv_cache.unit_tokens();
  const std::int64_t rest = chunk_of(sequence.rest() - found);
  if (!limits_.enable_chunked_prefill && rest > budget) return {};
  const std::int64_t computed = sequence.computed_tokens + found;
  const std::int64_t to_state = chunk_to_state(sequence, computed, std::min(rest, budget));
  const std::int64_t tokens = inputs_.limit(state, slot, computed, to_state);
  const std::int64_t all = computed + tokens;
  const std::int64_t reserved = limits_.reserve_full_prompt ? sequence.known_tokens() : 0;
  if (tokens == 0 || !state.fits(sequence, match, all, reserved)) {
    inputs_.drop(state, slot);
    return {.tokens = 0, .for_images = tokens == 0 && to_state > 0};
  }
  state.take_prefix(sequence, match);
  const bool grown = state.grow(sequence, tokens);
  WARPLOOM_ASSERT(grown);
  inputs_.take(state, batch);
  return {.tokens = tokens};
}

std::int64_t VllmScheduler::schedule_waiting(SchedulerState& state, ScheduledBatch& batch,
                                             std::int64_t budget) {
  std::size_t place = 0;  // before it stand those that wait for the encoder
  while (place < state.waiting.size() && budget > 0 &&
         std::int64_t(state.running.size()) < limits_.max_num_seqs) {
    const Slot slot = state.waiting[place];
    Sequence& sequence = state.sequences[slot];
    const PrefixMatch match = state.match_prefix(sequence);
    const HeadOfQueue head = state.fetch_head(match, place);
    if (head == HeadOfQueue::Fetching) continue;
    if (head == HeadOfQueue::Blocked) break;
    const Admission admitted = admit(state, batch, slot, match, budget);
    if (admitted.for_images && limits_.images_wait_apart) {
      ++place;
      continue;
    }
    if (admitted.tokens == 0) break;
    state.waiting.erase(state.waiting.begin() + std::ptrdiff_t(place));
    state.running.push_back(slot);
    batch.add(slot, sequence, std::int32_t(admitted.tokens));
    budget -= admitted.tokens;
  }
  return budget;
}

}  // namespace warploom
