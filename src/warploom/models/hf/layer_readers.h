// Kinds of layers from the keys that many families share. What a family does in its own way stands in its
// file.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/hf/config_values.h"

namespace warploom {

enum class LayerType { Full, Sliding, Chunked, Linear };
// 'layer_types' by name; where the config has none, what `otherwise` gives for layer i. Throws Unsupported on
// a name that is not modelled.
std::vector<LayerType> layer_types_of(const ConfigValues& text,
                                      const std::function<LayerType(std::int64_t)>& otherwise);
LayerType always_full(std::int64_t layer);
// Sliding where 'sliding_window' is there (Mistral).
std::function<LayerType(std::int64_t)> sliding_where_given(const ConfigValues& text);
// These configs carry a window that is off unless said otherwise, and then only for the upper layers (Qwen2).
std::function<LayerType(std::int64_t)> sliding_where_used(const ConfigValues& text);
// Every n-th layer full, the others `between`; n is under `key`.
std::function<LayerType(std::int64_t)> full_every(const ConfigValues& text, std::string_view key,
                                                  std::int64_t usual, LayerType between);

enum class QkvBias { AsGiven, UsuallyThere, Always };  // AsGiven: 'attention_bias' or 'bias', else none

struct AttentionHabits {
  bool derives_head_dim = false;  // hidden_size / heads where 'head_dim' is missing
  double rotary_share = 1.0;      // of a head, unless the config says otherwise
  QkvBias qkv_bias = QkvBias::AsGiven;
  QueryKeyNorm qk_norm = QueryKeyNorm::None;
};
// Elements of a head that rotate, from 'rotary_dim' or 'partial_rotary_factor'.
std::int64_t rotary_dim_of(const ConfigValues& text, std::int64_t head_dim, double usual_share);
// Full attention.
Attention read_attention(const ConfigValues& text, const ModelArchitecture& model,
                         const AttentionHabits& habits);
// The same with a window or chunk; full when it is as long as the longest request, and so never cuts
// anything.
Attention with_window(Attention attention, AttentionReach reach, std::int64_t window,
                      const ModelArchitecture& model);

// Layers of those types, with `full` or, behind a window or chunk, `narrow` where they attend. Feed-forwards
// are left to set_feed_forward.
std::vector<LayerGroup> layers_of_types(const ConfigValues& text, const ModelArchitecture& model,
                                        const std::vector<LayerType>& types, const Attention& full,
                                        const Attention& narrow);
inline std::vector<LayerGroup> layers_of_types(const ConfigValues& text, const ModelArchitecture& model,
                                               const std::vector<LayerType>& types,
                                               const Attention& attention) {
  return layers_of_types(text, model, types, attention, attention);
}

DenseMlp read_dense_mlp(const ConfigValues& text);
// Experts of that width each.
MixtureOfExperts read_mixture(const ConfigValues& text, std::string_view width_key);
// The integer under `number`, 0 when absent, times the one under `width`. Throws InvalidInput beyond 2^63.
std::int64_t product_of(const ConfigValues& text, std::string_view number, std::string_view width);
// The same with 'n_shared_experts' more, each as wide (DeepSeek).
MixtureOfExperts read_mixture_with_shared(const ConfigValues& text);
// The same with one shared expert behind a gate (Qwen2-MoE).
MixtureOfExperts read_mixture_with_gated_shared(const ConfigValues& text);

// Which layers are a mixture; the kinds are read where a layer has them.
void set_feed_forward(std::vector<LayerGroup>& layers, const std::function<bool(std::int64_t)>& is_mixture,
                      const std::function<DenseMlp()>& dense,
                      const std::function<MixtureOfExperts()>& mixture);
// DeepSeek's: dense before 'first_k_dense_replace', or as 'mlp_layer_types' (dense or sparse) has it.
void set_mixture_behind_dense(std::vector<LayerGroup>& layers, const ConfigValues& text);
void set_dense(std::vector<LayerGroup>& layers, const ConfigValues& text);
// Every layer.
void set_mixture(std::vector<LayerGroup>& layers, const MixtureOfExperts& mixture);
bool is_listed(const std::vector<std::int64_t>& list, std::int64_t layer);

}  // namespace warploom
