#include "warploom/models/layers/dense_mlp.h"

#include <fmt/format.h>

#include "warploom/models/layers/linear_layer.h"

namespace warploom {

void DenseMlp::check(std::string_view where) const {
  if (intermediate < 1)
    throw InvalidInput(fmt::format("{}: dense layers need a positive intermediate size", where));
}

void DenseMlp::check_split(const SplitCheck& check, const Sharding& sharding) const {
  check.divides("MLP columns", intermediate, "`tensor_parallel_size`", sharding.tensor_parallel);
}

void DenseMlp::count(LayerParameters& layer, const LayerPlace& place) const {
  layer.mlp = element_count(place.hidden, intermediate / place.sharding.tensor_parallel, gated ? 3 : 2);
}

// Gate, up and their product.
double DenseMlp::widest_outputs(const LayerPlace& place) const {
  return 3.0 * static_cast<double>(intermediate / place.sharding.tensor_parallel);
}

void DenseMlp::add_adapters(std::vector<AdaptedProduct>& products, const LayerPlace& place) const {
  const std::int64_t width = intermediate / place.sharding.tensor_parallel, gates = gated ? 2 : 1;
  products.push_back({"lora_shrink_gate_up", "lora_expand_gate_up", place.hidden, gates * width, gates, 1});
  products.push_back({"lora_shrink_down", "lora_expand_down", width, place.hidden, 1, 1});
}

void DenseMlp::add_operators(ScaledOperators& plan, const LaunchedLayer& layer) const {
  const std::int64_t width = intermediate / layer.sharding.tensor_parallel;
  add_linear(plan, layer, gated ? "gate_up_proj" : "up_proj", layer.schemes.mlp, (gated ? 2 : 1) * width,
             layer.hidden);
  plan.add(gated ? "silu_and_mul" : "activation", layer.count,
           Activation{.type = layer.dtype, .width = width, .gated = gated});
  add_linear(plan, layer, "down_proj", layer.schemes.mlp, layer.hidden, width);
}

FieldTable DenseMlp::describe() {
  return FieldList<DenseMlp>("dense_mlp")
      .add("intermediate", &DenseMlp::intermediate, {.doc = "width", .min = 0, .max = kMostWidth})
      .add("gated", &DenseMlp::gated, {.doc = "gate and up projections"})
      .table();
}

}  // namespace warploom
