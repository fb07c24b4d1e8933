#include "warploom/serving/pricing/encoding_step_pricer.h"

#include <algorithm>

namespace warploom {

StepCost EncodingStepPricer::price(const StepBatch& batch) {
  StepCost cost;
  if (target_ != nullptr) cost = target_->price(batch);
  if (batch.images.empty()) return cost;
  StepCost encoding = sums_.price(vision_operators(encoder_, batch.images, split_), operators_).cost();
  encoding.images_p10 = encoding.p10;
  encoding.images_p50 = encoding.p50;
  encoding.images_p90 = encoding.p90;
  return target_ == nullptr ? encoding : joined_cost(cost, encoding);
}

std::vector<KernelTime> EncodingStepPricer::breakdown() const {
  std::vector<KernelTime> kernels;
  if (target_ != nullptr) kernels = target_->breakdown();
  const std::vector<KernelTime> own = sums_.sorted();
  kernels.insert(kernels.end(), own.begin(), own.end());
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.time > b.time; });
  return kernels;
}

std::unique_ptr<StepPricer> EncodingStepPricer::clone() const {
  return std::make_unique<EncodingStepPricer>(target_ == nullptr ? nullptr : target_->clone(), operators_,
                                              encoder_, split_);
}

}  // namespace warploom
