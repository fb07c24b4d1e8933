// vLLM v1's scheduler (behaviour of vllm/v1/core/sched/scheduler.py).
//
// A step has a budget of max_num_batched_tokens. Running requests come first, in order of admission: each
// gets what it still has to compute, one token (and its drafts) when it decodes, the rest of its prompt when
// it prefills. When KV blocks run out the request admitted last (under the priority policy: the one served
// last by it) is preempted: its blocks are freed and it starts over from the head of the queue. Then, unless
// a request was just preempted, waiting requests are admitted while budget, sequences and blocks last; one
// whose keys and values lie elsewhere takes its blocks, leaves the queue and returns to its head when they
// are there. O(running) per step.
#pragma once

#include "warploom/serving/batching/scheduler.h"
#include "warploom/serving/serving_config.h"

namespace warploom {

struct VllmLimits {
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  std::int64_t long_prefill_token_threshold = 0;  // 0: none
  bool enable_chunked_prefill = true;
  bool reserve_full_prompt = true;
  bool by_priority = false;
};
VllmLimits vllm_limits(const ServingConfig& config);

class VllmScheduler final : public Scheduler {
 public:
  explicit VllmScheduler(const VllmLimits& limits) : limits_(limits) {}
  void schedule(SchedulerState& state, ScheduledBatch& batch) override;

 private:
  // Both return the budget left.
  std::int64_t schedule_running(SchedulerState& state, ScheduledBatch& batch, std::int64_t budget,
                                bool& preempted);
  std::int64_t schedule_waiting(SchedulerState& state, ScheduledBatch& batch, std::int64_t budget);
  // Of the running requests from `index` on that still have something to do; what drains frees its blocks by
  // itself, and what the step already holds is not taken back.
  std::size_t victim(const SchedulerState& state, std::size_t index) const;
  // Takes the blocks of a waiting request's first chunk; the tokens of it, 0 when it must wait.
  std::int64_t admit(SchedulerState& state, Sequence& sequence, const PrefixMatch& match,
                     std::int64_t budget) const;
  std::int64_t chunk_of(std::int64_t rest) const;

  VllmLimits limits_;
};

}  // namespace warploom
