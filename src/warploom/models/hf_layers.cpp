#include "warploom/models/hf_layers.h"

#include <fmt/format.h>

#include <algorithm>

namespace warploom {
namespace {

AttentionKind attention_from_name(const std::string& name, const ConfigValues& text) {
  if (name == "full_attention") return AttentionKind::Full;
  if (name == "sliding_attention") return AttentionKind::SlidingWindow;
  if (name == "chunked_attention") return AttentionKind::Chunked;
  if (name == "linear_attention") return AttentionKind::Linear;
  throw Unsupported(
      fmt::format("{}: 'layer_types' holds '{}', supported: full_attention, sliding_attention, "
                  "chunked_attention, linear_attention",
                  text.where(), name));
}

// Layer i of a family without layer_types.
AttentionKind default_attention(const ConfigValues& text, ModelFamily family, std::int64_t i) {
  switch (family) {
    case ModelFamily::DeepSeek:
      return AttentionKind::Latent;
    case ModelFamily::Gemma2:
    case ModelFamily::GptOss:
      return i % 2 == 0 ? AttentionKind::SlidingWindow : AttentionKind::Full;
    case ModelFamily::Gemma3: {
      constexpr std::int64_t kUsualPattern = 6;
      const std::int64_t pattern =
          std::max<std::int64_t>(1, text.integer("sliding_window_pattern", kUsualPattern));
      return (i + 1) % pattern == 0 ? AttentionKind::Full : AttentionKind::SlidingWindow;
    }
    case ModelFamily::Qwen3Next:
    case ModelFamily::Qwen35:
    case ModelFamily::Qwen35Moe: {
      constexpr std::int64_t kUsualInterval = 4;
      const std::int64_t interval =
          std::max<std::int64_t>(1, text.integer("full_attention_interval", kUsualInterval));
      return (i + 1) % interval == 0 ? AttentionKind::Full : AttentionKind::Linear;
    }
    case ModelFamily::Qwen2:
    case ModelFamily::Qwen2Moe:
    case ModelFamily::Qwen3:
    case ModelFamily::Qwen3Moe:
      // These configs carry a window that is off unless said otherwise, and then only for the upper layers.
      return text.flag("use_sliding_window", false) && i >= text.integer("max_window_layers", 0)
                 ? AttentionKind::SlidingWindow
                 : AttentionKind::Full;
    case ModelFamily::Llama:
    case ModelFamily::Mixtral:
    case ModelFamily::Phi3:
      return text.has("sliding_window") ? AttentionKind::SlidingWindow : AttentionKind::Full;
    default:
      return AttentionKind::Full;
  }
}

// Llama 4 marks the layers with rotary positions; those attend in chunks.
bool rotary_layer(const ConfigValues& text, std::int64_t i) {
  constexpr std::int64_t kUsualInterval = 4;
  const std::vector<std::int64_t> marks = text.integers("no_rope_layers");
  if (!marks.empty())
    return static_cast<std::size_t>(i) < marks.size() && marks[static_cast<std::size_t>(i)] != 0;
  return (i + 1) % std::max<std::int64_t>(1, text.integer("no_rope_layer_interval", kUsualInterval)) != 0;
}

bool contains(const std::vector<std::int64_t>& list, std::int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool mixture_layer(const ConfigValues& text, ModelFamily family, std::int64_t i) {
  switch (family) {
    case ModelFamily::DeepSeek:
    case ModelFamily::Glm4Moe:
      return i >= text.integer("first_k_dense_replace", 0) &&
             i % std::max<std::int64_t>(1, text.integer("moe_layer_freq", 1)) == 0;
    case ModelFamily::Qwen2Moe:
    case ModelFamily::Qwen3Moe:
    case ModelFamily::Qwen3Next:
      return !contains(text.integers("mlp_only_layers"), i) &&
             (i + 1) % std::max<std::int64_t>(1, text.integer("decoder_sparse_step", 1)) == 0;
    case ModelFamily::Llama4: {
      const std::vector<std::int64_t> listed = text.integers("moe_layers");
      if (!listed.empty()) return contains(listed, i);
      return (i + 1) % text.needed("interleave_moe_layer_step") == 0;
    }
    default:
      return is_mixture_family(family);
  }
}

void read_window(const ConfigValues& text, ModelArchitecture& model, std::vector<LayerGroup>& layers) {
  const auto any = [&layers](AttentionKind kind) {
    return std::any_of(layers.begin(), layers.end(),
                       [kind](const LayerGroup& l) { return l.attention == kind; });
  };
  const bool windowed = any(AttentionKind::SlidingWindow), chunked = any(AttentionKind::Chunked);
  if (!windowed && !chunked) return;
  if (windowed && chunked) {
    throw Unsupported(
        fmt::format("{}: sliding windows and chunks in one model are not supported", text.where()));
  }
  model.sliding_window = text.needed(windowed ? "sliding_window" : "attention_chunk_size");
  // A window as long as the longest request never cuts anything.
  if (model.max_positions > 0 && model.sliding_window >= model.max_positions) {
    for (LayerGroup& layer : layers) layer.attention = AttentionKind::Full;
    model.sliding_window = 0;
  }
}

}  // namespace

std::vector<LayerGroup> layers_of_config(const ConfigValues& text, ModelFamily family,
                                         ModelArchitecture& model) {
  constexpr std::int64_t kMostLayers = 10'000;
  const std::int64_t count = text.needed({"num_hidden_layers", "n_layer"});
  if (count > kMostLayers) {
    throw InvalidInput(
        fmt::format("{}: 'num_hidden_layers' is {}, expected at most {}", text.where(), count, kMostLayers));
  }
  const std::vector<std::string> types = text.texts("layer_types");
  if (!types.empty() && types.size() != static_cast<std::size_t>(count)) {
    throw InvalidInput(fmt::format("{}: 'layer_types' has {} entries, expected one for each of {} layers",
                                   text.where(), types.size(), count));
  }
  const auto attention_types = text.integers("attn_type_list");
  if (std::any_of(attention_types.begin(), attention_types.end(),
                  [](std::int64_t type) { return type != 1; })) {
    throw Unsupported(fmt::format("{}: 'attn_type_list' holds lightning attention, which has no kernel model",
                                  text.where()));
  }
  const bool chunks = family == ModelFamily::Llama4 && text.has("attention_chunk_size");
  std::vector<LayerGroup> layers(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    LayerGroup& layer = layers[static_cast<std::size_t>(i)];
    layer.mixture = mixture_layer(text, family, i);
    layer.attention = types.empty() || family == ModelFamily::DeepSeek
                          ? default_attention(text, family, i)
                          : attention_from_name(types[static_cast<std::size_t>(i)], text);
    if (family == ModelFamily::Llama4) {
      layer.rotary = rotary_layer(text, i);
      layer.attention = chunks && layer.rotary ? AttentionKind::Chunked : AttentionKind::Full;
    }
  }
  read_window(text, model, layers);
  return layers;
}

}  // namespace warploom
