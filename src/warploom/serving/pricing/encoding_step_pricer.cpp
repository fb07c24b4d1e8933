#include "warploom/serving/pricing/encoding_step_pricer.h"

#include <algorithm>

namespace warploom {

StepCost EncodingStepPricer::price(const StepBatch& batch) {
  const StepCost cost = target_->price(batch);
  if (batch.images == 0) return cost;
  const OperatorGraph graph = vision_operators(encoder_, batch.images, tokens_, tensor_parallel_);
  return joined_cost(cost, sums_.price(graph, operators_).cost());
}

std::vector<KernelTime> EncodingStepPricer::breakdown() const {
  std::vector<KernelTime> kernels = target_->breakdown();
  const std::vector<KernelTime> own = sums_.sorted();
  kernels.insert(kernels.end(), own.begin(), own.end());
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.time > b.time; });
  return kernels;
}

std::unique_ptr<StepPricer> EncodingStepPricer::clone() const {
  return std::make_unique<EncodingStepPricer>(target_->clone(), operators_, encoder_, tokens_,
                                              tensor_parallel_);
}

}  // namespace warploom
