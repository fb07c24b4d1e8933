// A step time that is linear in what the step holds: for closed-form checks of the engine, where a kernel
// model would hide what the scheduler does.
#pragma once

#include <memory>
#include <vector>

#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

struct LinearStepTime {
  Seconds per_step{0.0};
  Seconds per_token{0.0};
  Seconds per_prompt_token{0.0};   // of prompts in chunks, beside per_token
  Seconds per_context_token{0.0};  // of decoding requests
  double spread = 0.0;             // p10 and p90 are this share below and above p50
};

class LinearStepPricer final : public StepPricer {
 public:
  explicit LinearStepPricer(const LinearStepTime& time, std::size_t coupled_replicas = 1)
      : time_(time), coupled_replicas_(coupled_replicas) {}

  StepCost price(const StepBatch& batch) override {
    const Seconds p50 = time_.per_step + double(batch.tokens()) * time_.per_token +
                        double(batch.chunk_tokens) * time_.per_prompt_token +
                        double(batch.decode_context_sum) * time_.per_context_token;
    sum_ += p50;
    ++steps_;
    return {p50 * (1.0 - time_.spread), p50, p50 * (1.0 + time_.spread), Seconds(0.0)};
  }
  std::vector<KernelTime> breakdown() const override {
    return {{Family::Gemm, "step", sum_, double(steps_)}};
  }
  std::unique_ptr<StepPricer> clone() const override {
    return std::make_unique<LinearStepPricer>(time_, coupled_replicas_);
  }
  std::size_t coupled_replicas() const override { return coupled_replicas_; }

 private:
  LinearStepTime time_;
  std::size_t coupled_replicas_;
  Seconds sum_{0.0};
  std::int64_t steps_ = 0;
};

}  // namespace warploom
