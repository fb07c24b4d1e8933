// Numbers that training changes, and the rule that changes them: Adam with decoupled weight decay (AdamW,
// Loshchilov and Hutter, ICLR 2019; Adam itself where the decay is 0).
#pragma once

#include <cstdint>
#include <vector>

namespace warploom::baselines {

struct Parameters {
  std::vector<float> values, gradient;
  std::vector<float> first, second;  // moments

  explicit Parameters(std::size_t count = 0) : values(count), gradient(count), first(count), second(count) {}
};

struct AdamStep {
  double rate = 1e-3;
  double weight_decay = 0;  // of each step times the rate
  std::int64_t number = 1;  // of this step, from 1 on
};

// Changes values and moments by the gradient. `scale` multiplies the gradient first (clipping).
void adam_step(Parameters& parameters, const AdamStep& step, float scale = 1);

// Square root of the sum of squares of all gradients.
double gradient_norm(const std::vector<Parameters*>& parameters);

}  // namespace warploom::baselines
