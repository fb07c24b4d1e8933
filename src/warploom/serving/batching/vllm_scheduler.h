// vLLM v1's scheduler (behaviour of vllm/v1/core/sched/scheduler.py, first come first served).
//
// A step has a budget of max_num_batched_tokens. Running requests come first, in order of admission: each
// gets what it still has to compute, one token when it decodes, the rest of its prompt when it prefills. When
// KV blocks run out the request admitted last is preempted: its blocks are freed and it starts over from the
// head of the queue. Then, unless a request was just preempted, waiting requests are admitted while budget,
// sequences and blocks last. O(running) per step.
#pragma once

#include "warploom/serving/batching/scheduler.h"

namespace warploom {

class VllmScheduler final : public Scheduler {
 public:
  explicit VllmScheduler(const SchedulerLimits& limits) : limits_(limits) {}
  void schedule(SchedulerState& state, ScheduledBatch& batch) override;

 private:
  // Both return the budget left.
  std::int64_t schedule_running(SchedulerState& state, ScheduledBatch& batch, std::int64_t budget,
                                bool& preempted);
  std::int64_t schedule_waiting(SchedulerState& state, ScheduledBatch& batch, std::int64_t budget);
  // Takes the blocks of a waiting request's first chunk.
  bool admit(SchedulerState& state, Sequence& sequence, std::int64_t budget) const;
  std::int64_t chunk_of(const Sequence& sequence) const;

  SchedulerLimits limits_;
};

}  // namespace warploom
