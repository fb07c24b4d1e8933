// Private to the module: elements that one GPU holds of one layer.
#pragma once

#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"

namespace warploom {

// As doubles: totals exceed what matters of 64-bit integers nowhere, and ratios follow.
struct LayerParameters {
  double attention_input = 0, attention_output = 0;
  double mlp = 0;
  double experts = 0, shared_experts = 0;
  double plain = 0;     // router, norms, biases, convolutions: in the model's own type
  double absorbed = 0;  // MLA's 16-bit copies, not parameters of the model
  double total() const { return attention_input + attention_output + mlp + experts + shared_experts + plain; }
};

LayerParameters layer_parameters(const ModelArchitecture& model, const LayerGroup& layer,
                                 const LocalShape& local);

}  // namespace warploom
