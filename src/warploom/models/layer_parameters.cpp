#include "warploom/models/layer_parameters.h"

namespace warploom {
namespace {

double product(std::int64_t a, std::int64_t b, std::int64_t c = 1) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

void add_standard(LayerParameters& layer, const ModelArchitecture& model, const LocalShape& local,
                  bool rotary) {
  const std::int64_t queries = local.heads * model.head_dim;
  const std::int64_t keys = local.kv_heads * model.head_dim;
  layer.attention_input = product(model.hidden, (model.output_gate ? 2 : 1) * queries + 2 * keys);
  layer.attention_output = product(model.hidden, queries);
  if (model.qkv_bias) layer.plain += static_cast<double>(queries + 2 * keys);
  if (!model.qk_norm_weights || !rotary) return;
  if (model.qk_norm == QueryKeyNorm::PerHead) layer.plain += static_cast<double>(2 * model.head_dim);
  if (model.qk_norm == QueryKeyNorm::FullWidth) layer.plain += static_cast<double>(queries + keys);
}

void add_latent(LayerParameters& layer, const ModelArchitecture& model, const LocalShape& local) {
  const MlaShape& shape = model.latent->shape;
  const std::int64_t rank = model.latent->q_lora_rank;
  const std::int64_t heads = local.latent_heads;
  const std::int64_t queries = heads * (shape.nope_head_dim + shape.rope_head_dim);
  const double query_parameters =
      rank > 0 ? product(model.hidden, rank) + product(rank, queries) : product(model.hidden, queries);
  const double expansion = product(shape.kv_lora_rank, heads, shape.nope_head_dim + shape.value_head_dim);
  layer.attention_input =
      query_parameters + product(model.hidden, shape.kv_lora_rank + shape.rope_head_dim) + expansion;
  layer.attention_output = product(model.hidden, heads, shape.value_head_dim);
  layer.plain += static_cast<double>(rank + shape.kv_lora_rank);
  layer.absorbed = expansion;
}

void add_linear_attention(LayerParameters& layer, const ModelArchitecture& model, const LocalShape& local) {
  const LinearAttentionShape& shape = *model.linear;
  const std::int64_t keys = local.linear_key_heads * shape.key_dim;
  const std::int64_t values = local.linear_value_heads * shape.value_dim;
  layer.attention_input = product(model.hidden, 2 * keys + 2 * values);
  layer.attention_output = product(model.hidden, values);
  layer.plain += product(model.hidden, 2 * local.linear_value_heads) +
                 product(2 * keys + values, shape.convolution_width) +
                 static_cast<double>(2 * local.linear_value_heads + shape.value_dim);
}

}  // namespace

LayerParameters layer_parameters(const ModelArchitecture& model, const LayerGroup& group,
                                 const LocalShape& local) {
  LayerParameters layer;
  switch (group.attention) {
    case AttentionKind::Latent:
      add_latent(layer, model, local);
      break;
    case AttentionKind::Linear:
      add_linear_attention(layer, model, local);
      break;
    default:
      add_standard(layer, model, local, group.rotary);
      break;
  }
  layer.plain += product(model.norms_per_layer, model.hidden, model.layer_norm ? 2 : 1);
  if (!group.mixture) {
    layer.mlp = product(model.hidden, local.intermediate, model.gated_mlp ? 3 : 2);
    return layer;
  }
  const MixtureOfExperts& mixture = *model.mixture;
  layer.experts = product(model.hidden, local.expert_intermediate, local.experts * (mixture.gated ? 3 : 2));
  layer.shared_experts = product(model.hidden, local.shared_intermediate, 3);
  layer.plain +=
      product(model.hidden, mixture.experts) + (mixture.shared_gate ? static_cast<double>(model.hidden) : 0);
  return layer;
}

}  // namespace warploom
