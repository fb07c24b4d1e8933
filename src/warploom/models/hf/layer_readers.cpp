#include "warploom/models/hf/layer_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "warploom/models/hf/mixer_readers.h"

namespace warploom {
namespace {

LayerType type_from_name(const std::string& name, const ConfigValues& text) {
  if (name == "full_attention") return LayerType::Full;
  if (name == "sliding_attention") return LayerType::Sliding;
  if (name == "chunked_attention") return LayerType::Chunked;
  if (name == "linear_attention") return LayerType::Linear;
  throw Unsupported(
      fmt::format("{}: 'layer_types' holds '{}', supported: full_attention, sliding_attention, "
                  "chunked_attention, linear_attention",
                  text.where(), name));
}

double rotary_share_of(const ConfigValues& text, double otherwise) {
  if (const auto rope = text.nested("rope_parameters"))
    otherwise = rope->real("partial_rotary_factor", otherwise);
  const double share = text.real("partial_rotary_factor", otherwise);
  if (!(share > 0 && share <= 1)) {
    throw InvalidInput(fmt::format("{}: 'partial_rotary_factor' is {}, expected above 0 and at most 1",
                                   text.where(), share));
  }
  return share;
}

bool has_qkv_bias(const ConfigValues& text, QkvBias bias) {
  if (bias == QkvBias::Always) return true;
  if (bias == QkvBias::UsuallyThere) return text.flag("attention_bias", true);
  return text.flag("attention_bias", text.flag("bias", false));
}

std::int64_t head_dim_of(const ConfigValues& text, std::int64_t hidden, std::int64_t heads, bool derives) {
  if (text.has("head_dim") || text.has("kv_channels")) return text.needed({"head_dim", "kv_channels"});
  if (!derives) return text.needed("head_dim");
  if (hidden % heads != 0) {
    throw InvalidInput(fmt::format("{}: 'head_dim' is missing and hidden_size {} is no multiple of {} heads",
                                   text.where(), hidden, heads));
  }
  return hidden / heads;
}

}  // namespace

std::vector<LayerType> layer_types_of(const ConfigValues& text,
                                      const std::function<LayerType(std::int64_t)>& otherwise) {
  const std::int64_t count = layer_count_of(text);
  const std::vector<std::string> names = text.texts("layer_types");
  if (!names.empty() && names.size() != static_cast<std::size_t>(count)) {
    throw InvalidInput(fmt::format("{}: 'layer_types' has {} entries, expected one for each of {} layers",
                                   text.where(), names.size(), count));
  }
  const auto attention_types = text.integers("attn_type_list");
  if (std::any_of(attention_types.begin(), attention_types.end(),
                  [](std::int64_t type) { return type != 1; })) {
    throw Unsupported(fmt::format("{}: 'attn_type_list' holds lightning attention, which has no kernel model",
                                  text.where()));
  }
  std::vector<LayerType> types(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < types.size(); ++i)
    types[i] = names.empty() ? otherwise(static_cast<std::int64_t>(i)) : type_from_name(names[i], text);
  return types;
}

LayerType always_full(std::int64_t) { return LayerType::Full; }

std::function<LayerType(std::int64_t)> sliding_where_given(const ConfigValues& text) {
  const LayerType type = text.has("sliding_window") ? LayerType::Sliding : LayerType::Full;
  return [type](std::int64_t) { return type; };
}

std::function<LayerType(std::int64_t)> sliding_where_used(const ConfigValues& text) {
  const bool used = text.flag("use_sliding_window", false);
  const std::int64_t first = text.integer("max_window_layers", 0);
  return [used, first](std::int64_t i) { return used && i >= first ? LayerType::Sliding : LayerType::Full; };
}

std::function<LayerType(std::int64_t)> full_every(const ConfigValues& text, std::string_view key,
                                                  std::int64_t usual, LayerType between) {
  const std::int64_t interval = std::max<std::int64_t>(1, text.integer(key, usual));
  return [interval, between](std::int64_t i) { return (i + 1) % interval == 0 ? LayerType::Full : between; };
}

std::int64_t rotary_dim_of(const ConfigValues& text, std::int64_t head_dim, double usual_share) {
  const double rotating = static_cast<double>(head_dim) * rotary_share_of(text, usual_share);
  return text.integer("rotary_dim", static_cast<std::int64_t>(std::llround(rotating)));
}

Attention read_attention(const ConfigValues& text, const ModelArchitecture& model,
                         const AttentionHabits& habits) {
  Attention attention;
  attention.heads = text.needed({"num_attention_heads", "n_head"});
  attention.kv_heads = text.integer("num_key_value_heads", attention.heads);
  attention.head_dim = head_dim_of(text, model.hidden, attention.heads, habits.derives_head_dim);
  attention.value_head_dim = attention.head_dim;
  attention.rotary_dim = rotary_dim_of(text, attention.head_dim, habits.rotary_share);
  attention.qkv_bias = has_qkv_bias(text, habits.qkv_bias);
  attention.qk_norm = habits.qk_norm;
  return attention;
}

Attention with_window(Attention attention, AttentionReach reach, std::int64_t window,
                      const ModelArchitecture& model) {
  if (model.max_positions > 0 && window >= model.max_positions) return attention;
  attention.reach = reach;
  attention.window = window;
  return attention;
}

std::vector<LayerGroup> layers_of_types(const ConfigValues& text, const ModelArchitecture& model,
                                        const std::vector<LayerType>& types, const Attention& full,
                                        const Attention& narrow) {
  std::optional<Mixer> sliding, chunked, linear;
  const auto kept = [](std::optional<Mixer>& mixer, const auto& read) -> const Mixer& {
    if (!mixer) mixer = read();
    return *mixer;
  };
  const auto reaching = [&](AttentionReach reach, std::string_view key) {
    return [&, reach, key] { return with_window(narrow, reach, text.needed(key), model); };
  };
  std::vector<LayerGroup> layers(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    Mixer& mixer = layers[i].mixer;
    switch (types[i]) {
      case LayerType::Full:
        mixer = full;
        break;
      case LayerType::Sliding:
        mixer = kept(sliding, reaching(AttentionReach::SlidingWindow, "sliding_window"));
        break;
      case LayerType::Chunked:
        mixer = kept(chunked, reaching(AttentionReach::Chunked, "attention_chunk_size"));
        break;
      case LayerType::Linear:
        mixer = kept(linear, [&] { return read_gated_delta_net(text, model); });
        break;
    }
  }
  return layers;
}

DenseMlp read_dense_mlp(const ConfigValues& text) {
  return {.intermediate = text.needed({"intermediate_size", "n_inner", "ffn_hidden_size"})};
}

MixtureOfExperts read_mixture(const ConfigValues& text, std::string_view width_key) {
  MixtureOfExperts mixture;
  mixture.experts = text.needed({"num_local_experts", "n_routed_experts", "num_experts"});
  mixture.top_k = text.needed({"num_experts_per_tok", "num_experts_per_token", "experts_per_token"});
  mixture.intermediate = text.needed(width_key);
  mixture.groups = std::max<std::int64_t>(1, text.integer("n_group", 1));
  return mixture;
}

std::int64_t product_of(const ConfigValues& text, std::string_view number, std::string_view width) {
  const std::int64_t count = text.integer(number, 0);
  const std::int64_t each = count > 0 ? text.needed(width) : 0;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(count, each, &product))
    throw InvalidInput(fmt::format("{}: {} '{}' of width {} are more than any model has", text.where(), count,
                                   number, each));
  return product;
}

MixtureOfExperts read_mixture_with_shared(const ConfigValues& text) {
  MixtureOfExperts mixture = read_mixture(text, "moe_intermediate_size");
  mixture.shared_intermediate = product_of(text, "n_shared_experts", "moe_intermediate_size");
  return mixture;
}

MixtureOfExperts read_mixture_with_gated_shared(const ConfigValues& text) {
  MixtureOfExperts mixture = read_mixture(text, "moe_intermediate_size");
  mixture.shared_intermediate = text.needed("shared_expert_intermediate_size");
  mixture.shared_gate = true;
  return mixture;
}

void set_feed_forward(std::vector<LayerGroup>& layers, const std::function<bool(std::int64_t)>& is_mixture,
                      const std::function<DenseMlp()>& dense,
                      const std::function<MixtureOfExperts()>& mixture) {
  std::optional<FeedForward> of_all, of_experts;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool mixed = is_mixture(static_cast<std::int64_t>(i));
    std::optional<FeedForward>& read = mixed ? of_experts : of_all;
    if (!read) read = mixed ? FeedForward(mixture()) : FeedForward(dense());
    layers[i].feed_forward = *read;
  }
}

void set_mixture_behind_dense(std::vector<LayerGroup>& layers, const ConfigValues& text) {
  const std::int64_t first = text.integer("first_k_dense_replace", 0);
  const std::int64_t frequency = std::max<std::int64_t>(1, text.integer("moe_layer_freq", 1));
  const std::vector<std::string> types = text.texts("mlp_layer_types");
  if (!types.empty() && types.size() != layers.size())
    throw InvalidInput(fmt::format("{}: 'mlp_layer_types' has {} entries, expected one for each of {} layers",
                                   text.where(), types.size(), layers.size()));
  set_feed_forward(
      layers,
      [&](std::int64_t i) {
        return types.empty() ? i >= first && i % frequency == 0
                             : types[static_cast<std::size_t>(i)] == "sparse";
      },
      [&] { return read_dense_mlp(text); }, [&] { return read_mixture_with_shared(text); });
}

void set_dense(std::vector<LayerGroup>& layers, const ConfigValues& text) {
  const DenseMlp mlp = read_dense_mlp(text);
  for (LayerGroup& layer : layers) layer.feed_forward = mlp;
}

void set_mixture(std::vector<LayerGroup>& layers, const MixtureOfExperts& mixture) {
  for (LayerGroup& layer : layers) layer.feed_forward = mixture;
}

bool is_listed(const std::vector<std::int64_t>& list, std::int64_t layer) {
  return std::find(list.begin(), list.end(), layer) != list.end();
}

}  // namespace warploom
