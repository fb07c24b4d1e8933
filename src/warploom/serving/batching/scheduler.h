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
      add_token(slot, state.sequences[slot]);
    else
      add_drafted(slot, state, tokens);
  }
  void add_image(const ImageShape& shape);
  void remove_image(const ImageShape& shape);
  // A view; valid until the batch changes. Of the tokens of other ranks nothing is set.
  StepBatch step() const;

 private:
  void add_token(Slot slot, Sequence& sequence);
  void add_drafted(Slot slot, SchedulerState& state, std::int64_t tokens);
  void note(Slot slot, Sequence& sequence);
};

inline void ScheduledBatch::note(Slot slot, Sequence& sequence) {
  if (!sequence.was_scheduled) {
    sequence.was_scheduled = true;
    first_scheduled.push_back(slot);
  }
}

// Of every decoding request in every step: a call, and registers that it saves, would cost as much as the rest.
[[gnu::always_inline]] inline void ScheduledBatch::add_token(Slot slot, Sequence& sequence) {
  decode_contexts.push_back(sequence.computed_tokens);
  decode_context_sum += sequence.computed_tokens;
  decode_context_max = std::max(decode_context_max, sequence.computed_tokens);
  note(slot, sequence);
  ++sequence.computed_tokens;
  if (sequence.computed_tokens == sequence.known_tokens()) {
    ++sequence.outputs_scheduled;
    emitting.push_back({slot, 1});
  }
}

inline void ScheduledBatch::add(Slot slot, Sequence& sequence, std::int32_t tokens) {
  if (tokens == 1) {
    add_token(slot, sequence);
    return;
  }
  chunks.push_back({tokens, sequence.computed_tokens});
  chunk_tokens += tokens;
  note(slot, sequence);
  sequence.computed_tokens += tokens;
  if (sequence.computed_tokens == sequence.known_tokens()) {
    ++sequence.outputs_scheduled;
    emitting.push_back({slot, 1});
  }
}

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Fills an empty `batch`, moving sequences between waiting and running and taking KV blocks. An empty
  // result means that nothing can run before a step in flight or a fetch ends or a request arrives.
  virtual void schedule(SchedulerState& state, ScheduledBatch& batch) = 0;
};

}  // namespace warploom
