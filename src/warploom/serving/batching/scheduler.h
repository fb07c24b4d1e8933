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

 private:
  friend class TokenWriter;
  void add_drafted(Slot slot, SchedulerState& state, std::int64_t tokens);
  void note(Slot slot, Sequence& sequence);
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

// Books one token each of many sequences, in places that were made before: what grows a batch looks at its
// room for every token, and a simulation books some hundred million.
class TokenWriter {
 public:
  // At most `most` sequences. The batch is whole again when the writer ends.
  TokenWriter(ScheduledBatch& batch, std::size_t most)
      : batch_(batch), sum_(batch.decode_context_sum), max_(batch.decode_context_max) {
    batch.decode_contexts.resize(batch.decode_contexts.size() + most);
    batch.emitting.resize(batch.emitting.size() + most);
    context_ = batch.decode_contexts.data() + batch.decode_contexts.size() - most;
    emission_ = batch.emitting.data() + batch.emitting.size() - most;
  }
  TokenWriter(const TokenWriter&) = delete;
  TokenWriter& operator=(const TokenWriter&) = delete;
  ~TokenWriter() {
    batch_.decode_contexts.resize(std::size_t(context_ - batch_.decode_contexts.data()));
    batch_.emitting.resize(std::size_t(emission_ - batch_.emitting.data()));
    batch_.decode_context_sum = sum_;
    batch_.decode_context_max = max_;
  }
  // A sequence of which one token is known and not computed.
  void add(Slot slot, Sequence& sequence) {
    *context_++ = sequence.computed_tokens;
    sum_ += sequence.computed_tokens;
    max_ = std::max(max_, sequence.computed_tokens);
    if (!sequence.was_scheduled) batch_.note(slot, sequence);
    ++sequence.computed_tokens;
    ++sequence.outputs_scheduled;
    *emission_++ = {slot, 1};
  }

 private:
  ScheduledBatch& batch_;
  std::int32_t* context_ = nullptr;
  Emission* emission_ = nullptr;
  std::int64_t sum_;
  std::int32_t max_;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Fills an empty `batch`, moving sequences between waiting and running and taking KV blocks. An empty
  // result means that nothing can run before a step in flight or a fetch ends or a request arrives.
  virtual void schedule(SchedulerState& state, ScheduledBatch& batch) = 0;
};

}  // namespace warploom
