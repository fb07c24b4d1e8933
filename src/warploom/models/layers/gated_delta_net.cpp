#include "warploom/models/layers/gated_delta_net.h"

#include "warploom/models/layers/linear_layer.h"

namespace warploom {

GatedDeltaNet GatedDeltaNet::on(std::int64_t ranks) const {
  GatedDeltaNet local = *this;
  local.key_heads = key_heads / ranks;
  local.value_heads = value_heads / ranks;
  return local;
}

void GatedDeltaNet::check_split(const SplitCheck& check, std::int64_t ranks) const {
  check.divides("linear-attention key heads", key_heads, "`tensor_parallel_size`", ranks);
  check.divides("linear-attention value heads", value_heads, "`tensor_parallel_size`", ranks);
}

void GatedDeltaNet::count(LayerParameters& layer, const LayerPlace& place) const {
  const GatedDeltaNet local = on(place.sharding.tensor_parallel);
  const std::int64_t keys = local.key_heads * key_dim, values = local.value_heads * value_dim;
  layer.attention_input = element_count(place.hidden, 2 * keys + 2 * values);
  layer.attention_output = element_count(place.hidden, values);
  layer.plain += element_count(place.hidden, 2 * local.value_heads) +
                 element_count(2 * keys + values, convolution_width) +
                 static_cast<double>(2 * local.value_heads + value_dim);
}

LayerCache GatedDeltaNet::cache(const LayerPlace& place) const {
  const GatedDeltaNet local = on(place.sharding.tensor_parallel);
  const std::int64_t keys = local.key_heads * key_dim, values = local.value_heads * value_dim;
  const std::int64_t state = values * key_dim;  // key_dim x value_dim for each value head
  const std::int64_t convolution = (2 * keys + values) * (convolution_width - 1);
  return {.per_request = static_cast<double>(convolution),
          .bytes_per_request = static_cast<double>(state) * bytes_per_element(state_type)};
}

void GatedDeltaNet::add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const {
  const GatedDeltaNet local = on(layer.sharding.tensor_parallel);
  const std::int64_t keys = local.key_heads * key_dim, values = local.value_heads * value_dim;
  // q, k, v and the output gate z; then the write strength and the decay of each value head.
  const MatmulScheme inputs = layer.schemes.attention_input;
  const bool split = layer.options.split_delta_inputs;
  add_linear(plan, layer, "linear_in_proj", inputs, 2 * keys + (split ? 1 : 2) * values, layer.hidden);
  if (split) add_linear(plan, layer, "linear_in_proj", inputs, values, layer.hidden);
  plan.add(
      "linear_gates_proj", (split ? 2 : 1) * layer.count,
      Gemm{.scheme = plain_scheme(layer.dtype), .n = (split ? 1 : 2) * local.value_heads, .k = layer.hidden});
  plan.add("gated_norm", layer.count, RmsNorm{.type = layer.dtype, .width = value_dim, .residual = true},
           {.factor = local.value_heads});
  add_linear(plan, layer, "o_proj", layer.schemes.attention_output, layer.hidden, values);
}

void GatedDeltaNet::add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const {
  const GatedDeltaNet local = on(layer.sharding.tensor_parallel);
  LinearAttention op;
  op.kind = LinearAttentionKind::GatedDeltaNet;
  op.stage = LinearAttentionStage::Convolution;
  op.key_heads = local.key_heads;
  op.key_dim = key_dim;
  op.value_heads = local.value_heads;
  op.value_dim = value_dim;
  op.convolution_width = convolution_width;
  plan.add("linear_convolution", layer.count, op);
  op.stage = decode ? LinearAttentionStage::StateUpdate : LinearAttentionStage::Scan;
  plan.add(decode ? "linear_state_update" : "linear_scan", layer.count, op);
}

FieldTable GatedDeltaNet::describe() {
  return FieldList<GatedDeltaNet>("gated_delta_net")
      .add("key_heads", &GatedDeltaNet::key_heads, {.min = 1, .max = kMostHeadWidth})
      .add("key_dim", &GatedDeltaNet::key_dim, {.min = 1, .max = kMostHeadWidth})
      .add("value_heads", &GatedDeltaNet::value_heads, {.min = 1, .max = kMostHeadWidth})
      .add("value_dim", &GatedDeltaNet::value_dim, {.min = 1, .max = kMostHeadWidth})
      .add("convolution_width", &GatedDeltaNet::convolution_width, {.min = 1, .max = 1024})
      .add("state_type", &GatedDeltaNet::state_type, {.doc = "type of the recurrent state"})
      .table();
}

}  // namespace warploom
