#include "warploom/models/memory_footprint.h"

#include <algorithm>

#include "warploom/models/model_split.h"

namespace warploom {
namespace {

LayerParameters parameters_of(const LayerGroup& group, const LayerPlace& place,
                              const ModelArchitecture& model) {
  LayerParameters layer;
  std::visit([&](const auto& mixer) { mixer.count(layer, place); }, group.mixer);
  layer.plain += element_count(model.norms_of(group), model.hidden, model.layer_norm ? 2 : 1);
  std::visit([&](const auto& part) { part.count(layer, place); }, group.feed_forward);
  std::visit([&](const auto& part) { part.count(layer, place); }, group.lookup);
  layer.plain += model.residual.parameters(model.hidden);
  return layer;
}

}  // namespace

ParameterCounts parameter_counts(const ModelArchitecture& model) {
  const Sharding whole;
  ParameterCounts counts;
  counts.embedding = static_cast<double>(model.vocabulary) * static_cast<double>(model.hidden) *
                     (model.tie_embeddings ? 1.0 : 2.0);
  const double final_norm = static_cast<double>(model.hidden) * (model.layer_norm ? 2.0 : 1.0);
  counts.total = counts.active = counts.embedding + final_norm;
  for (const LayerGroup& group : model.layers) {
    const LayerParameters layer = parameters_of(group, place_of(model, whole), model);
    const auto layers = static_cast<double>(group.count);
    counts.total += layers * layer.total();
    counts.active += layers * layer.active();
  }
  return counts;
}

double stored_bytes_per_element(MatmulScheme scheme, std::int64_t group_size, double scale_bytes) {
  constexpr double kBlockScaleBytes = 4.0 / (128.0 * 128.0);
  switch (scheme) {
    case MatmulScheme::Fp8Block:
      return 1.0 + kBlockScaleBytes;
    case MatmulScheme::Int4WeightOnly:
      if (group_size > 0) return 0.5 + scale_bytes / static_cast<double>(group_size);
      break;
    default:
      break;
  }
  return bytes_per_element(weight_type(scheme));
}

namespace {

// Weights of one GPU that holds what is split so.
WeightFootprint whole_footprint(const ModelArchitecture& model, const Sharding& sharding,
                                std::int64_t stage) {
  const LayerRange range = stage_layers(model.layer_count(), sharding.pipeline_parallel, stage);
  const double plain_bytes = bytes_per_element(model.dtype);
  const auto stored = [&model](double elements, MatmulScheme scheme) {
    return Bytes(elements * stored_bytes_per_element(scheme, model.quantization.group_size,
                                                     model.quantization.scale_bytes));
  };
  WeightFootprint bytes;
  for (const LayerGroup& group : merged_layers(model, range.first, range.last)) {
    const LayerParameters layer = parameters_of(group, place_of(model, sharding), model);
    const auto layers = static_cast<double>(group.count);
    bytes.attention +=
        layers * (stored(layer.attention_input + layer.repeated, group.schemes.attention_input) +
                  stored(layer.attention_output, group.schemes.attention_output) +
                  Bytes(layer.absorbed * plain_bytes));
    bytes.mlp += layers * (stored(layer.mlp, group.schemes.mlp) +
                           stored(layer.shared_experts, group.schemes.shared_experts));
    bytes.experts += layers * stored(layer.experts, group.schemes.experts);
    constexpr double kTableBytes = 1.0 + 1.0 / 32.0;  // fp8 with a scale of a byte for 32 elements
    bytes.other += Bytes(layers * (layer.plain * plain_bytes + layer.tables * kTableBytes));
  }
  const Bytes table(element_count(local_vocabulary(model, sharding), model.hidden) * plain_bytes);
  const bool first = stage == 0, last = stage == sharding.pipeline_parallel - 1;
  if (first) bytes.embeddings += table;
  if (last && !(first && model.tie_embeddings)) bytes.embeddings += table;
  return bytes;
}

// Dense layers alone, which lie with the gate (afd_plan.h).
Bytes dense_layers(const ModelArchitecture& model, const Sharding& sharding) {
  ModelArchitecture dense = model;
  std::erase_if(dense.layers, [](const LayerGroup& group) { return group.mixture() != nullptr; });
  return dense.layers.empty() ? Bytes(0) : whole_footprint(dense, sharding, 0).mlp;
}

}  // namespace

WeightFootprint weight_footprint(const ModelArchitecture& model, const Sharding& sharding,
                                 std::int64_t stage) {
  check_sharding(model, sharding, "sharding");
  WeightFootprint bytes = whole_footprint(model, sharding, stage);
  if (!sharding.apart()) return bytes;
  bytes.experts = Bytes(0);
  bytes.mlp = sharding.gate_on_attention ? dense_layers(model, sharding) : Bytes(0);
  return bytes;
}

WeightFootprint feed_forward_footprint(const ModelArchitecture& model, const Sharding& sharding) {
  check_sharding(model, sharding, "sharding");
  WARPLOOM_ASSERT(sharding.apart());
  const Sharding side = sharding.feed_forward_side();
  WeightFootprint bytes = whole_footprint(model, side, 0);
  bytes.attention = bytes.embeddings = bytes.other = Bytes(0);
  if (sharding.gate_on_attention) bytes.mlp -= dense_layers(model, side);
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
  const DataType type = kv_cache.value_or(model.quantization.kv_cache);
  const double element = bytes_per_element(type);
  const LayerRange range = stage_layers(model.layer_count(), sharding.pipeline_parallel, stage);
  LayerPlace place = place_of(model, sharding);
  place.kv_cache = type;
  KvFootprint footprint;
  for (const LayerGroup& group : merged_layers(model, range.first, range.last)) {
    const LayerCache cache = std::visit([&](const auto& mixer) { return mixer.cache(place); }, group.mixer);
    const auto layers = static_cast<double>(group.count);
    const Bytes state(cache.per_request * bytes_per_element(model.dtype) + cache.bytes_per_request);
    footprint.per_request += layers * state;
    const double per_token = cache.per_token * element + cache.bytes_per_token;
    if (per_token == 0) {
      if (state.value() > 0) footprint.state_layers += group.count;
      footprint.states += layers * state;
      footprint.widest_state = std::max(footprint.widest_state, state);
      continue;
    }
    footprint.window = std::max(footprint.window, cache.window);
    (cache.window > 0 ? footprint.windowed_per_token : footprint.full_per_token) += Bytes(layers * per_token);
    (cache.window > 0 ? footprint.windowed_layers : footprint.full_layers) += group.count;
  }
  footprint.full_per_token = footprint.full_per_token / static_cast<double>(sharding.decode_context_parallel);
  return footprint;
}

}  // namespace warploom
