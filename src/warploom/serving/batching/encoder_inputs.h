// Which images a step encodes, as vLLM chooses them (_try_schedule_encoder_inputs of
// vllm/v1/core/sched/scheduler.py): those that the tokens of the step meet and that are not kept. An image
// is encoded whole; where budget or cache do not reach, the prompt's part of the step ends before it.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/serving/batching/scheduler.h"

namespace warploom {

class EncoderInputs {
 public:
  // A step begins.
  void begin(const SchedulerState& state) {
    budget_ = state.encoder ? state.encoder->budget() : 0;
    taken_.clear();
  }
  // How many of `tokens` tokens after `computed` a sequence can compute; 0: it has to wait. Holds what is
  // kept and notes what would have to be encoded, until take() or drop().
  std::int64_t limit(SchedulerState& state, Slot slot, std::int64_t computed, std::int64_t tokens);
  // The sequence got its blocks: what limit() noted is encoded in this step.
  void take(SchedulerState& state, ScheduledBatch& batch);
  // It did not, and holds nothing.
  void drop(SchedulerState& state, Slot slot);
  // A sequence that the step held is preempted: what was to be encoded for it alone is not.
  void give_back(SchedulerState& state, ScheduledBatch& batch, Slot slot);

 private:
  struct Chosen {
    Slot slot = 0;
    std::uint32_t request = 0;
    PlacedImage image;
  };
  std::int64_t budget_ = 0;
  std::vector<Chosen> noted_;  // by limit()
  std::vector<Chosen> taken_;  // in this step
};

}  // namespace warploom
