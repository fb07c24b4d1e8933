// Clocks of one group of replicas: when the GPU runs a step, and when the host has launched it and given out
// its tokens. The host is one process: while it launches a step, the tokens of the step before wait, as in
// the loops of the engines (vllm/v1/engine/core.py, step_with_batch_queue).
//
// Over pipeline stages each stage runs an equal share of a step and launches it from a process of its own;
// the engine's process chooses steps and takes their outputs one after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "warploom/serving/host/host_model.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

class StepTimeline {
 public:
  // stages, depth >= 1; at most `depth` steps are in flight.
  StepTimeline(std::size_t stages, std::size_t depth);

  // Forgets steps in flight; nothing is busy after `now`.
  void reset(SimTime now);

  std::size_t in_flight() const { return count_; }
  bool full() const { return count_ == pending_.size(); }

  struct Span {
    SimTime begin;  // the step chosen before has left the GPU and this one is chosen
    SimTime end;    // begin plus the GPU's time plus `host`
    Seconds host;   // what the host adds
  };
  // The engine chooses a step of `gpu` seconds at `now`; not when full().
  Span begin(SimTime now, const HostStep& host, Seconds gpu);
  // When the tokens of the oldest step in flight are out. Grows when another step is begun before.
  SimTime oldest_end() const { return end_of(first_); }
  // The same of the newest, were it alone in flight.
  SimTime newest_end() const { return end_of(place(count_ - 1)); }
  // Ends the oldest step, at its oldest_end().
  void finish(SimTime now);

 private:
  struct Pending {
    SimTime gpu_end;
    SimDuration finish;
  };
  // In pending_, of the step that follows the oldest by so many, at most all.
  std::size_t place(std::size_t after) const {
    const std::size_t at = first_ + after;
    return at < pending_.size() ? at : at - pending_.size();
  }
  SimTime end_of(std::size_t at) const;
  SimTime run_stages(SimTime launch_begin, const HostStep& host, Seconds gpu);

  std::vector<SimTime> stage_free_;  // when each stage ends what it has
  SimTime host_free_;                // when the host can choose a step or take outputs
  std::vector<Pending> pending_;     // a ring, oldest at first_
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace warploom
