#include "warploom/models/memory_footprint.h"

#include <algorithm>

#include "warploom/models/layer_parameters.h"

namespace warploom {

ParameterCounts parameter_counts(const ModelArchitecture& model) {
  const LocalShape whole = local_shape(model, Sharding{});
  ParameterCounts counts;
  counts.embedding = static_cast<double>(model.vocabulary) * static_cast<double>(model.hidden) *
                     (model.tie_embeddings ? 1.0 : 2.0);
  const double final_norm = static_cast<double>(model.hidden) * (model.layer_norm ? 2.0 : 1.0);
  counts.total = counts.active = counts.embedding + final_norm;
  for (const LayerGroup& group : model.layers) {
    const LayerParameters layer = layer_parameters(model, group, whole);
    const auto layers = static_cast<double>(group.count);
    counts.total += layers * layer.total();
    const double used = group.mixture ? static_cast<double>(model.mixture->top_k) /
                                            static_cast<double>(model.mixture->experts)
                                      : 1.0;
    counts.active += layers * (layer.total() - layer.experts * (1.0 - used));
  }
  return counts;
}

double stored_bytes_per_element(MatmulScheme scheme, std::int64_t group_size) {
  constexpr double kBlockScaleBytes = 4.0 / (128.0 * 128.0);
  constexpr double kGroupScaleBytes = 2.0;
  switch (scheme) {
    case MatmulScheme::Fp8Block:
      return 1.0 + kBlockScaleBytes;
    case MatmulScheme::Int4WeightOnly:
      if (group_size > 0) return 0.5 + kGroupScaleBytes / static_cast<double>(group_size);
      break;
    default:
      break;
  }
  return bytes_per_element(weight_type(scheme));
}

WeightFootprint weight_footprint(const ModelArchitecture& model, const Sharding& sharding,
                                 std::int64_t stage) {
  check_sharding(model, sharding, "sharding");
  const LocalShape local = local_shape(model, sharding);
  const LayerRange range = stage_layers(model.layer_count(), sharding.pipeline_parallel, stage);
  const double plain_bytes = bytes_per_element(model.dtype);
  const auto stored = [&model](double elements, MatmulScheme scheme) {
    return Bytes(elements * stored_bytes_per_element(scheme, model.quantization.group_size));
  };
  WeightFootprint bytes;
  for (const LayerGroup& group : merged_layers(model, range.first, range.last)) {
    const LayerParameters layer = layer_parameters(model, group, local);
    const auto layers = static_cast<double>(group.count);
    bytes.attention += layers * (stored(layer.attention_input, group.schemes.attention_input) +
                                 stored(layer.attention_output, group.schemes.attention_output) +
                                 Bytes(layer.absorbed * plain_bytes));
    bytes.mlp += layers * (stored(layer.mlp, group.schemes.mlp) +
                           stored(layer.shared_experts, group.schemes.shared_experts));
    bytes.experts += layers * stored(layer.experts, group.schemes.experts);
    bytes.other += Bytes(layers * layer.plain * plain_bytes);
  }
  const Bytes table(static_cast<double>(local.vocabulary) * static_cast<double>(model.hidden) * plain_bytes);
  const bool first = stage == 0, last = stage == sharding.pipeline_parallel - 1;
  if (first) bytes.embeddings += table;
  if (last && !(first && model.tie_embeddings)) bytes.embeddings += table;
  return bytes;
}

Bytes weight_bytes_per_gpu(const ModelArchitecture& model, const Sharding& sharding) {
  Bytes most;
  for (std::int64_t stage = 0; stage < sharding.pipeline_parallel; ++stage) {
    most = std::max(most, weight_footprint(model, sharding, stage).total());
  }
  return most;
}

Bytes KvFootprint::of_request(std::int64_t tokens) const {
  const std::int64_t kept = window > 0 ? std::min(tokens, window) : tokens;
  return full_per_token * static_cast<double>(tokens) + windowed_per_token * static_cast<double>(kept) +
         per_request;
}

KvFootprint kv_footprint(const ModelArchitecture& model, const Sharding& sharding,
                         std::optional<DataType> kv_cache, std::int64_t stage) {
  check_sharding(model, sharding, "sharding");
  const LocalShape local = local_shape(model, sharding);
  const double element = bytes_per_element(kv_cache.value_or(model.quantization.kv_cache));
  const LayerRange range = stage_layers(model.layer_count(), sharding.pipeline_parallel, stage);
  const Bytes standard(2.0 * static_cast<double>(local.kv_heads * model.head_dim) * element);
  KvFootprint footprint;
  footprint.window = model.sliding_window;
  for (const LayerGroup& group : merged_layers(model, range.first, range.last)) {
    const auto layers = static_cast<double>(group.count);
    switch (group.attention) {
      case AttentionKind::Full:
        footprint.full_per_token += layers * standard;
        footprint.full_layers += group.count;
        break;
      case AttentionKind::SlidingWindow:
      case AttentionKind::Chunked:
        footprint.windowed_per_token += layers * standard;
        footprint.windowed_layers += group.count;
        break;
      case AttentionKind::Latent: {
        const MlaShape& shape = model.latent->shape;
        footprint.full_per_token +=
            Bytes(layers * static_cast<double>(shape.kv_lora_rank + shape.rope_head_dim) * element);
        footprint.full_layers += group.count;
        break;
      }
      case AttentionKind::Linear: {
        const LinearAttentionShape& shape = *model.linear;
        const std::int64_t keys = local.linear_key_heads * shape.key_dim;
        const std::int64_t values = local.linear_value_heads * shape.value_dim;
        const std::int64_t state = values * shape.key_dim;  // key_dim x value_dim for each value head
        const std::int64_t convolution = (2 * keys + values) * (shape.convolution_width - 1);
        footprint.per_request +=
            Bytes(layers * static_cast<double>(state + convolution) * bytes_per_element(model.dtype));
        break;
      }
    }
  }
  footprint.full_per_token = footprint.full_per_token / static_cast<double>(sharding.context_ranks());
  return footprint;
}

}  // namespace warploom
