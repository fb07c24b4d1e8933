// The price of a step that also encodes images: the encoder's pass over all images of the step, then the
// language model's; and of an instance that encodes alone.
#pragma once

#include <memory>
#include <vector>

#include "warploom/serving/pricing/price_table.h"

namespace warploom {

class EncodingStepPricer final : public StepPricer {
 public:
  // Without a `target` nothing but images is priced. The model and GPU of `operators` outlive this and its
  // clones.
  EncodingStepPricer(std::unique_ptr<StepPricer> target, OperatorPricer operators, VisionEncoder encoder,
                     VisionSplit split)
      : target_(std::move(target)), operators_(std::move(operators)), encoder_(encoder), split_(split) {}

  StepCost price(const StepBatch& batch) override;
  std::vector<KernelTime> breakdown() const override;
  std::unique_ptr<StepPricer> clone() const override;
  std::size_t coupled_replicas() const override {
    return target_ == nullptr ? 1 : target_->coupled_replicas();
  }

 private:
  std::unique_ptr<StepPricer> target_;  // null: encodes alone
  OperatorPricer operators_;
  VisionEncoder encoder_;
  VisionSplit split_;
  KernelSums sums_;
};

}  // namespace warploom
