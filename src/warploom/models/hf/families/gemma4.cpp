// Gemma 4: full layers with fewer and wider heads than windowed ones, whose keys serve as values, and in one
// size experts beside a dense MLP.
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

// Rotation is laid over whole heads, also where only a part of the angles differs from 0 (vLLM's
// Gemma4RotaryEmbedding).
Attention whole_rotation(Attention attention) {
  attention.rotary_dim = attention.head_dim;
  return attention;
}

Attention windowed_attention(const ConfigValues& text, const ModelArchitecture& model) {
  Attention attention = read_attention(text, model, {.qk_norm = QueryKeyNorm::PerHead});
  attention.value_norm = true;
  return whole_rotation(attention);
}

Attention full_attention(const ConfigValues& text, Attention attention) {
  if (text.has("global_head_dim"))
    attention.head_dim = attention.value_head_dim = text.needed("global_head_dim");
  attention.keys_are_values = text.flag("attention_k_eq_v", false);
  if (attention.keys_are_values && text.has("num_global_key_value_heads"))
    attention.kv_heads = text.needed("num_global_key_value_heads");
  return whole_rotation(attention);
}

MixtureOfExperts mixture_beside_mlp(const ConfigValues& text) {
  MixtureOfExperts mixture;
  mixture.experts = text.needed("num_experts");
  mixture.top_k = text.needed("top_k_experts");
  mixture.intermediate = text.needed({"moe_intermediate_size", "expert_intermediate_size"});
  mixture.mlp_intermediate = text.needed("intermediate_size");
  return mixture;
}

std::vector<LayerGroup> gemma4_layers(const ConfigValues& text, const ModelArchitecture& model) {
  constexpr std::int64_t kUsualPattern = 6;
  const std::vector<LayerType> types =
      layer_types_of(text, full_every(text, "sliding_window_pattern", kUsualPattern, LayerType::Sliding));
  const Attention local = windowed_attention(text, model);
  std::vector<LayerGroup> layers = layers_of_types(text, model, types, full_attention(text, local), local);
  if (text.flag("enable_moe_block", false))
    set_mixture(layers, mixture_beside_mlp(text));
  else
    set_dense(layers, text);
  return layers;
}

constexpr std::array<std::string_view, 2> kNames{"Gemma4ForCausalLM", "Gemma4ForConditionalGeneration"};

}  // namespace

extern constinit const HfFamily kGemma4Family{.architectures = kNames,
                                              .layers = gemma4_layers,
                                              .norms_per_layer = 4,
                                              .tie_embeddings = true,
                                              .experts_module = "experts.gate_up_proj"};

}  // namespace warploom
