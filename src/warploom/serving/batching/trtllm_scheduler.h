// TensorRT-LLM's in-flight batching (behaviour of capacityScheduler and microBatchScheduler in
// cpp/tensorrt_llm/batch_manager and of their Python forms in _torch/pyexecutor).
//
// Capacity first: under guaranteed_no_evict a request starts only when blocks for its prompt and its whole
// output can be set aside, and then it is never stopped; under max_utilization it starts when its prompt
// fits, and the request that started last is stopped when blocks run out. Then the step: running requests
// take one token (and their drafts) each, and prompts follow in order while max_num_tokens holds them. A
// prompt is taken whole unless chunked prefill is on, when the last one is cut at a multiple of a block.
// Prompts may wait some steps for more of them while others decode (_waiting_requests in
// _torch/pyexecutor/py_executor.py).
// O(running) per step.
#pragma once

#include "warploom/serving/batching/scheduler.h"

namespace warploom {

struct TrtllmLimits {
  std::int64_t max_num_seqs = 2048;
  std::int64_t max_num_batched_tokens = 8192;
  bool enable_chunked_prefill = false;
  std::int64_t batch_wait_timeout_iters = 0;  // 0: prompts do not wait
  double batch_wait_max_tokens_ratio = 0;     // of max_num_batched_tokens
  bool guaranteed_no_evict = true;
};

class TrtllmScheduler final : public Scheduler {
 public:
  explicit TrtllmScheduler(const TrtllmLimits& limits) : limits_(limits) {}
  void schedule(SchedulerState& state, ScheduledBatch& batch) override;

 private:
  // Tokens whose blocks a sequence must hold to compute `tokens` more: those of the whole request when it may
  // never be stopped.
  std::int64_t reserved(const SchedulerState& state, const Sequence& sequence, std::int64_t tokens) const;
  // Whether prompts that were cut are among those that run.
  bool schedule_decodes(SchedulerState& state, ScheduledBatch& batch, std::int64_t& budget, bool& stopped);
  void admit_waiting(SchedulerState& state, ScheduledBatch& batch, std::int64_t budget);
  // Whether the prompts that could start beside decoding requests wait for more; counts the steps they did.
  bool waits(const SchedulerState& state, const ScheduledBatch& batch, std::int64_t budget);
  // The tokens of a prompt's rest that go into this step; 0 when none may.
  std::int64_t chunk_of(std::int64_t rest, std::int64_t budget, std::int64_t block) const;
  // Stops the request that started last where none that runs can go on.
  static void free_blocks_of_prompts(SchedulerState& state);
  // Stops the request that started last; false when that is the one at `index`.
  static bool stop_last(SchedulerState& state, std::size_t index);

  TrtllmLimits limits_;
  std::int64_t steps_waited_ = 0;
};

}  // namespace warploom
