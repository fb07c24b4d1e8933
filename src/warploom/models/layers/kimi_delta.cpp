#include "warploom/models/layers/kimi_delta.h"

#include "warploom/models/layers/linear_layer.h"

namespace warploom {
namespace {

constexpr std::int64_t kConvolved = 3;  // queries, keys, values

}  // namespace

void KimiDelta::check_split(const SplitCheck& check, std::int64_t ranks) const {
  check.divides("linear-attention heads", heads, "`tensor_parallel_size`", ranks);
}

LayerModules KimiDelta::modules() const {
  return {{"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}, "self_attn.o_proj"};
}

void KimiDelta::count(LayerParameters& layer, const LayerPlace& place) const {
  const std::int64_t ranks = place.sharding.tensor_parallel, width = width_on(ranks);
  layer.attention_input = element_count(place.hidden, products() * width);
  layer.attention_output = element_count(place.hidden, width);
  const double narrow = element_count(place.hidden, head_dim) + element_count(head_dim, width);
  // The narrow products, the write strength, convolutions, decay and step bias, the output's norm.
  layer.plain += static_cast<double>(narrow_products()) * narrow +
                 element_count(place.hidden, heads / ranks) +
                 element_count(kConvolved * width, convolution_width) +
                 static_cast<double>(heads / ranks + width + head_dim);
}

LayerCache KimiDelta::cache(const LayerPlace& place) const {
  const std::int64_t width = width_on(place.sharding.tensor_parallel);
  const double recurrent = element_count(width, head_dim) * bytes_per_element(state_type);
  const double convolutions = element_count(kConvolved * width, convolution_width - 1);
  return {.bytes_per_request = recurrent + convolutions * bytes_per_element(place.dtype)};
}

double KimiDelta::widest_outputs(const LayerPlace& place) const {
  return static_cast<double>((2 * products() + 1) * width_on(place.sharding.tensor_parallel));
}

void KimiDelta::add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const {
  const std::int64_t ranks = layer.sharding.tensor_parallel, width = width_on(ranks);
  const MatmulScheme plain = plain_scheme(layer.dtype);
  add_linear(plan, layer, "linear_in_proj", layer.schemes.attention_input, products() * width, layer.hidden);
  // The narrow sides of decay and gate, and the write strength of each head.
  plan.add("linear_gates_proj", layer.count,
           Gemm{.scheme = plain, .n = narrow_products() * head_dim + heads / ranks, .k = layer.hidden});
  plan.add("linear_gates_up_proj", narrow_products() * layer.count,
           Gemm{.scheme = plain, .n = width, .k = head_dim});
  plan.add("gated_norm", layer.count, RmsNorm{.type = layer.dtype, .width = head_dim, .residual = true},
           {.factor = heads / ranks});
  add_linear(plan, layer, "o_proj", layer.schemes.attention_output, layer.hidden, width);
}

void KimiDelta::add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const {
  const std::int64_t local = heads / layer.sharding.tensor_parallel;
  LinearAttention op;
  op.kind = LinearAttentionKind::KimiDelta;
  op.stage = LinearAttentionStage::Convolution;
  op.key_heads = op.value_heads = local;
  op.key_dim = op.value_dim = op.state_size = head_dim;
  op.convolution_width = convolution_width;
  plan.add("linear_convolution", layer.count, op);
  op.stage = decode ? LinearAttentionStage::StateUpdate : LinearAttentionStage::Scan;
  plan.add(decode ? "linear_state_update" : "linear_scan", layer.count, op);
}

FieldTable KimiDelta::describe() {
  return FieldList<KimiDelta>("kimi_delta")
      .add("heads", &KimiDelta::heads, {.min = 1, .max = kMostHeadWidth})
      .add("head_dim", &KimiDelta::head_dim, {.min = 1, .max = kMostHeadWidth})
      .add("convolution_width", &KimiDelta::convolution_width, {.min = 1, .max = 1024})
      .add("full_rank_gate", &KimiDelta::full_rank_gate,
           {.doc = "the output's gate has a product of its own width"})
      .add("state_type", &KimiDelta::state_type, {.doc = "type of the recurrent state"})
      .table();
}

}  // namespace warploom
