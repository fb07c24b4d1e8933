// vLLM v1's scheduler (behaviour of vllm/v1/core/sched/scheduler.py).
//
// A step has a budget of max_num_batched_tokens. Running requests come first, in order of admission: each
// gets what it still has to compute, one token (and its drafts) when it decodes, the rest of its prompt when
// it prefills. When KV blocks run out the request admitted last is preempted: its blocks are freed and it
// starts over from the head of the queue. Under the priority policy it is the running request that comes last
// by priority and arrival; when the step already held it, its tokens return to the budget. Then, unless a
// request was just preempted, waiting requests are admitted while budget, sequences and blocks last; one
// whose keys and values lie elsewhere takes its blocks, leaves the queue and returns to its head when they
// are there. Images that a step needs are encoded in it as far as the encoder's budget and cache reach
// (encoder_inputs.h); a waiting request of which they reach nothing ends the admissions of the step or, in
// newer versions, keeps its place while others are asked. Where states of recurrent layers are kept for
// prefixes, parts of a prompt end where a state is to be kept (state_chunks.h). O(running) per step.
#pragma once

#include <vector>

#include "warploom/serving/batching/encoder_inputs.h"
#include "warploom/serving/batching/scheduler.h"
#include "warploom/serving/batching/state_chunks.h"

namespace warploom {

struct VllmLimits {
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  std::int64_t long_prefill_token_threshold = 0;  // 0: none
  bool enable_chunked_prefill = true;
  bool reserve_full_prompt = true;
  bool by_priority = false;
  bool images_wait_apart = false;  // who waits for the encoder's budget lets those behind it go on
  StatePlaces states;
};

class VllmScheduler final : public Scheduler {
 public:
  explicit VllmScheduler(const VllmLimits& limits) : limits_(limits) {}
  void schedule(SchedulerState& state, ScheduledBatch& batch) override;

 private:
  struct Planned {
    Slot slot = 0;
    std::int64_t tokens = 0;
    bool decodes = false;
  };
  // Both return the budget left. The first fills planned_ under the priority policy, else the batch.
  std::int64_t plan_running(SchedulerState& state, ScheduledBatch& batch, std::int64_t budget,
                            bool& preempted);
  static void book(const Planned& planned, SchedulerState& state, ScheduledBatch& batch) {
    if (planned.decodes) {
      batch.add_decode(planned.slot, state, planned.tokens);
    } else {
      batch.add(planned.slot, state.sequences[planned.slot], std::int32_t(planned.tokens));
    }
  }
  std::int64_t schedule_waiting(SchedulerState& state, ScheduledBatch& batch, std::int64_t budget);
  // The place in `running` of the request to preempt, among those that still have something to do: what
  // drains frees its blocks by itself. The request at `index` lacks blocks.
  std::size_t victim(const SchedulerState& state, std::size_t index) const;
  // Whether a request that comes after the one at `index` by priority has its last or next token on the way:
  // it cannot be preempted now, but that token's step frees or moves it, so the other waits for it.
  bool lower_ends(const SchedulerState& state, std::size_t index) const;
  // Preempts the request at that place; the tokens that the step held of it return to the budget.
  void preempt(SchedulerState& state, ScheduledBatch& batch, std::size_t place, std::int64_t& budget);
  struct Admission {
    std::int64_t tokens = 0;  // of the first chunk; 0: the request must wait
    bool for_images = false;  // for an encoder alone
  };
  // Takes the blocks of a waiting request's first chunk.
  Admission admit(SchedulerState& state, ScheduledBatch& batch, Slot slot, const PrefixMatch& match,
                  std::int64_t budget);
  std::int64_t chunk_of(std::int64_t rest) const;
  // How many of `tokens`, which budget and blocks allow after `computed`, end where a state is kept.
  std::int64_t chunk_to_state(const Sequence& sequence, std::int64_t computed, std::int64_t tokens) const;
  // The same, cut once more where the encoder ends it. In this order since vLLM 0.28; before, a part cut by
  // the encoder to less than a page was cut to nothing, and the request stood still with its blocks.
  std::int64_t chunk_of_prompt(SchedulerState& state, Slot slot, std::int64_t computed, std::int64_t most);

  VllmLimits limits_;
  EncoderInputs inputs_;
  std::vector<Planned> planned_;  // running requests of the step at hand, in order
};

}  // namespace warploom
