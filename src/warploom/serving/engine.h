// One replica of an inference engine: its sequences, its scheduler and its KV cache, without a clock. The
// simulation tells it when steps start and end.
//
// Life of a step: start() chooses tokens and books them as computed, so that a second step may be chosen
// before the first ends (async scheduling); finish() ends the oldest step, emits its tokens and retires
// completed sequences.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "warploom/serving/batching/scheduler.h"
#include "warploom/serving/request.h"
#include "warploom/serving/serving_config.h"

namespace warploom {

// Sees tokens and completions as they happen, in order of time.
class EngineObserver {
 public:
  virtual ~EngineObserver() = default;
  // `count` tokens of other than first rank came `gap` after the previous token of their request.
  virtual void on_token_gaps(SimDuration gap, std::int64_t count) = 0;
  virtual void on_tokens(SimTime now, std::int64_t count) = 0;
  virtual void on_completion(SimTime now, const Sequence& sequence) = 0;
};

class Engine {
 public:
  // kv_blocks >= 1; `workload` (may be null) says what prompts share and must outlive the engine. Throws
  // NotFound on an unknown engine name.
  Engine(const ServingConfig& config, std::int64_t kv_blocks, const Workload* workload);

  // A request reaches the queue.
  void add(std::uint32_t request, std::int32_t input_tokens, std::int32_t output_tokens);

  // Chooses the next step; false (and nothing in flight added) when there is nothing to run.
  bool start(SimTime now);
  // The step chosen last. Valid until the next start().
  const ScheduledBatch& latest() const { return in_flight_.back(); }
  // An empty step, for a replica that waits for its group.
  void start_idle();
  // Ends the oldest step in flight.
  void finish(SimTime now, EngineObserver& observer);

  std::size_t in_flight() const { return in_flight_.size(); }
  // Requests that are queued or running.
  std::size_t live() const { return state_.waiting.size() + state_.running.size(); }
  const SchedulerState& state() const { return state_; }

 private:
  void retire(Slot slot, SimTime now, EngineObserver& observer);
  ScheduledBatch take_spare();

  SchedulerState state_;
  std::unique_ptr<Scheduler> scheduler_;
  bool pipelined_;
  std::deque<ScheduledBatch> in_flight_;
  std::vector<ScheduledBatch> spare_;  // emptied batches that keep their memory
  std::vector<Slot> free_slots_;
};

}  // namespace warploom
