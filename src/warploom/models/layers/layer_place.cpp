#include "warploom/models/layers/layer_place.h"

namespace warploom {

MatmulScheme plain_scheme(DataType dtype) {
  switch (dtype) {
    case DataType::Fp32:
      return MatmulScheme::Fp32;
    case DataType::Fp16:
      return MatmulScheme::Fp16;
    default:
      return MatmulScheme::Bf16;
  }
}

FieldTable LayerSchemes::describe() {
  return FieldList<LayerSchemes>("layer_schemes")
      .add("attention_input", &LayerSchemes::attention_input, {.doc = "q, k and v projections"})
      .add("attention_output", &LayerSchemes::attention_output, {.doc = "output projection"})
      .add("mlp", &LayerSchemes::mlp, {.doc = "dense gate, up and down projections"})
      .add("experts", &LayerSchemes::experts, {.doc = "routed experts"})
      .add("shared_experts", &LayerSchemes::shared_experts, {.doc = "shared experts"})
      .table();
}

}  // namespace warploom
