// SGLang's scheduler (behaviour of sglang/srt/managers/scheduler.py and schedule_policy.py, first come first
// served, without a draft model).
//
// A step either prefills or decodes, and prefill goes first: while requests wait and memory is promised for
// them, running requests stand still (enable_mixed_chunk lets them take part). A prefill step holds at most
// chunked_prefill_size tokens; a longer prompt is cut there and goes on in the next step, one such prompt at
// a time. A request is admitted when its prompt and its output (at most 4096 tokens of it) fit beside what
// running requests are expected to grow: their rest of output times the new-token ratio, which starts at 0.7
// times the conservativeness, falls a little with every decode step, and is set anew when a decode step finds
// no block. Then the requests with the fewest outputs are retracted: their blocks are freed, and they start
// over from the end of the queue. With receive_interval n, new requests are seen after each step that
// prefilled and after every n-th that decoded (scheduler_recv_skipper.py). O(running) per step.
#pragma once

#include <optional>

#include "warploom/serving/batching/scheduler.h"

namespace warploom {

class SglangScheduler final : public Scheduler {
 public:
  explicit SglangScheduler(const SchedulerLimits& limits);
  void schedule(SchedulerState& state, ScheduledBatch& batch) override;
  double new_token_ratio() const { return new_token_ratio_; }

 private:
  // Counts the step before, and looks for new requests when their turn has come.
  void receive(const SchedulerState& state);
  struct Budget {
    double total;        // tokens of memory not promised
    std::int64_t input;  // tokens of prompts
    std::int64_t chunk;  // tokens of this step
    bool exhausted() const { return total <= 0 || input <= 0 || chunk <= 0; }
  };
  Budget prefill_budget(const SchedulerState& state) const;
  void continue_chunk(SchedulerState& state, ScheduledBatch& batch, Budget& budget);
  // Whether the request at the head of the queue was taken and more may follow.
  bool admit_next(SchedulerState& state, ScheduledBatch& batch, Budget& budget);
  // Takes the blocks of the next request's first chunk; its tokens, 0 when it must wait.
  std::int64_t tokens_of_next(SchedulerState& state, const ScheduledBatch& batch, const Budget& budget);
  void schedule_decode(SchedulerState& state, ScheduledBatch& batch);
  // Makes room for one more token of every decoding request.
  void retract(SchedulerState& state);
  bool decodes(const SchedulerState& state, Slot slot) const;

  SchedulerLimits limits_;
  double new_token_ratio_, least_ratio_, ratio_decay_;
  std::optional<Slot> chunked_;  // the prompt that is cut
  std::size_t received_ = 0;     // requests at the head of the queue that were seen
  std::int64_t steps_since_ = 0;
  bool prefilled_ = false;  // the step before
};

}  // namespace warploom
