// Chooses the tokens of the next step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "warploom/serving/batching/scheduler_state.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// A sequence that yields tokens when the step ends: one, and what was accepted of a draft.
struct Emission {
  Slot slot = 0;
  std::int32_t tokens = 1;
};

// Tokens chosen for one step; reused from step to step, so that a run stops allocating.
struct ScheduledBatch {
  std::vector<std::int32_t> decode_contexts;
  std::vector<std::int32_t> decode_queries;  // tokens of each, as StepBatch has them
  std::vector<PrefillChunk> chunks;
  std::vector<Emission> emitting;
  std::vector<Slot> first_scheduled;  // in a batch for the first time
  std::int64_t decode_context_sum = 0;
  std::int32_t decode_context_max = 0;
  std::int64_t chunk_tokens = 0;
  std::int64_t draft_tokens = 0;   // verified beside the sure token of each decoding request
  std::vector<ImageCount> images;  // encoded; shapes of the workload

  std::int64_t tokens() const { return std::int64_t(decode_contexts.size()) + draft_tokens + chunk_tokens; }
  std::int64_t sequences() const { return std::int64_t(decode_contexts.size() + chunks.size()); }
  bool empty() const { return decode_contexts.empty() && chunks.empty(); }
  void clear();
  // Books `tokens` more tokens of a sequence: advances its counters and notes whether it emits.
  void add(Slot slot, Sequence& sequence, std::int32_t tokens);
  // Books a decoding sequence with `tokens` query tokens, all but the first proposed; what is accepted of
  // them counts as computed and is emitted.
  void add_decode(Slot slot, SchedulerState& state, std::int64_t tokens) {
    if (tokens == 1)
      add(slot, state.sequences[slot], 1);
    else
      add_drafted(slot, state, tokens);
  }
  void add_image(const ImageShape& shape);
  void remove_image(const ImageShape& shape);
  // A view; valid until the batch changes. Of the tokens of other ranks nothing is set.
  StepBatch step() const;
  // Remembers whether a sequence is in a batch for the first time.
  void note(Slot slot, Sequence& sequence);

 private:
  void add_drafted(Slot slot, SchedulerState& state, std::int64_t tokens);
};

inline void ScheduledBatch::note(Slot slot, Sequence& sequence) {
  if (!sequence.was_scheduled) {
    sequence.was_scheduled = true;
    first_scheduled.push_back(slot);
  }
}

inline void ScheduledBatch::add(Slot slot, Sequence& sequence, std::int32_t tokens) {
  if (tokens == 1) {
    decode_contexts.push_back(sequence.computed_tokens);
    decode_context_sum += sequence.computed_tokens;
    decode_context_max = std::max(decode_context_max, sequence.computed_tokens);
  } else {
    chunks.push_back({tokens, sequence.computed_tokens});
    chunk_tokens += tokens;
  }
  note(slot, sequence);
  sequence.computed_tokens += tokens;
  if (sequence.computed_tokens == sequence.known_tokens()) {
    ++sequence.outputs_scheduled;
    emitting.push_back({slot, 1});
  }
}

// Books one token each of running sequences, from place `at` on: those of which one token is known and not
// computed, and that `has_room` lets go on. Ends at the first that is no such one, or without budget, and
// gives its place. Places in the batch are made before: what grows it looks at its room for every token, and
// a simulation books some hundred million.
template <class HasRoom>
std::size_t book_decoding(SchedulerState& state, ScheduledBatch& batch, std::size_t at, std::int64_t& budget,
                          const HasRoom& has_room) {
  const std::size_t end = std::min(state.running.size(), at + std::size_t(budget));
  if (at >= end) return at;
  constexpr std::size_t kAhead = 8;  // the memory is asked for the sequence that stands so far behind
  const std::size_t asked_to = end > kAhead ? end - kAhead : 0;
  const Slot* const running = state.running.data();
  Sequence* const sequences = state.sequences.data();
  const std::size_t before = batch.decode_contexts.size(), emitted = batch.emitting.size();
  batch.decode_contexts.resize(before + end - at);
  batch.emitting.resize(emitted + end - at);
  std::int32_t* context_place = batch.decode_contexts.data() + before;
  Emission* emission_place = batch.emitting.data() + emitted;
  std::int64_t sum = batch.decode_context_sum;
  std::int32_t most = batch.decode_context_max;
  for (; at < end; ++at) {
    if (at < asked_to) __builtin_prefetch(&sequences[running[at + kAhead]], 1);
    const Slot slot = running[at];
    Sequence& sequence = sequences[slot];
    if (sequence.idle()) continue;
    if (sequence.rest() != 1 || !has_room(sequence)) break;
    batch.note(slot, sequence);
    const std::int32_t context = sequence.computed_tokens++;
    ++sequence.outputs_scheduled;
    *context_place++ = context;
    *emission_place++ = {slot, 1};
    sum += context;
    most = std::max(most, context);
  }
  const auto booked = std::size_t(context_place - batch.decode_contexts.data()) - before;
  batch.decode_contexts.resize(before + booked);
  batch.emitting.resize(emitted + booked);
  batch.decode_context_sum = sum;
  batch.decode_context_max = most;
  budget -= std::int64_t(booked);
  return at;
}

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Fills an empty `batch`, moving sequences between waiting and running and taking KV blocks. An empty
  // result means that nothing can run before a step in flight or a fetch ends or a request arrives.
  virtual void schedule(SchedulerState& state, ScheduledBatch& batch) = 0;
};

}  // namespace warploom
