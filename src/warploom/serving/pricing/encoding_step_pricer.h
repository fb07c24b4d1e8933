// The price of a step that also encodes images: the encoder's pass over all images of the step, then the
// language model's.
#pragma once

#include <memory>
#include <vector>

#include "warploom/serving/pricing/price_table.h"
#include "warploom/serving/pricing/vision_encoder.h"

namespace warploom {

class EncodingStepPricer final : public StepPricer {
 public:
  // Every image has `tokens` tokens. The model and GPU of `operators` outlive this and its clones.
  EncodingStepPricer(std::unique_ptr<StepPricer> target, OperatorPricer operators, VisionEncoder encoder,
                     std::int64_t tokens, std::int64_t tensor_parallel)
      : target_(std::move(target)),
        operators_(std::move(operators)),
        encoder_(encoder),
        tokens_(tokens),
        tensor_parallel_(tensor_parallel) {}

  StepCost price(const StepBatch& batch) override;
  std::vector<KernelTime> breakdown() const override;
  std::unique_ptr<StepPricer> clone() const override;
  std::size_t coupled_replicas() const override { return target_->coupled_replicas(); }

 private:
  std::unique_ptr<StepPricer> target_;
  OperatorPricer operators_;
  VisionEncoder encoder_;
  std::int64_t tokens_, tensor_parallel_;
  KernelSums sums_;
};

}  // namespace warploom
