// Llama and what follows its config: Mistral, InternLM, Mixtral, Phi-3; and Llama 4.
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

constexpr AttentionHabits kHabits{.derives_head_dim = true};

std::vector<LayerGroup> attending_layers(const ConfigValues& text, const ModelArchitecture& model) {
  const std::vector<LayerType> types = layer_types_of(text, sliding_where_given(text));
  return layers_of_types(text, model, types, read_attention(text, model, kHabits));
}

std::vector<LayerGroup> dense_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending_layers(text, model);
  set_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> mixtral_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending_layers(text, model);
  set_mixture(layers, read_mixture(text, "intermediate_size"));
  return layers;
}

// Llama 4 marks the layers with rotary positions; those attend in chunks.
bool rotary_layer(const ConfigValues& text, const std::vector<std::int64_t>& marks, std::int64_t i) {
  constexpr std::int64_t kUsualInterval = 4;
  if (!marks.empty())
    return static_cast<std::size_t>(i) < marks.size() && marks[static_cast<std::size_t>(i)] != 0;
  return (i + 1) % std::max<std::int64_t>(1, text.integer("no_rope_layer_interval", kUsualInterval)) != 0;
}

std::vector<LayerGroup> llama4_layers(const ConfigValues& text, const ModelArchitecture& model) {
  const std::vector<LayerType> types = layer_types_of(text, always_full);
  Attention rotating = read_attention(text, model, {});
  Attention still = rotating;
  still.rotary_dim = 0;
  if (text.flag("use_qk_norm", false)) rotating.qk_norm = QueryKeyNorm::PerHead;
  rotating.qk_norm_weights = false;
  if (text.has("attention_chunk_size"))
    rotating = with_window(rotating, AttentionReach::Chunked, text.needed("attention_chunk_size"), model);
  const std::vector<std::int64_t> marks = text.integers("no_rope_layers"),
                                  listed = text.integers("moe_layers");
  std::vector<LayerGroup> layers(types.size());
  for (std::size_t i = 0; i < layers.size(); ++i)
    layers[i].mixer = rotary_layer(text, marks, static_cast<std::int64_t>(i)) ? rotating : still;
  set_feed_forward(
      layers,
      [&](std::int64_t i) {
        return listed.empty() ? (i + 1) % text.needed("interleave_moe_layer_step") == 0
                              : is_listed(listed, i);
      },
      [&] { return DenseMlp{.intermediate = text.needed("intermediate_size_mlp")}; },
      [&] {
        MixtureOfExperts mixture = read_mixture(text, "intermediate_size");
        mixture.shared_intermediate = mixture.intermediate;
        return mixture;
      });
  return layers;
}

constexpr std::array<std::string_view, 13> kLlama{
    "Ernie4_5ForCausalLM",    "GraniteForCausalLM",
    "IQuestCoderForCausalLM", "InternLM2ForCausalLM",
    "InternLM3ForCausalLM",   "InternLMForCausalLM",
    "LLaMAForCausalLM",       "LlamaForCausalLM",
    "Ministral3ForCausalLM",  "Mistral3ForConditionalGeneration",
    "MistralForCausalLM",     "Phi3ForCausalLM",
    "TeleChat3ForCausalLM"};
constexpr std::array<std::string_view, 1> kMixtral{"MixtralForCausalLM"};
constexpr std::array<std::string_view, 2> kLlama4{"Llama4ForCausalLM", "Llama4ForConditionalGeneration"};

}  // namespace

extern constinit const HfFamily kLlamaFamily{.architectures = kLlama, .layers = dense_layers};
extern constinit const HfFamily kMixtralFamily{
    .architectures = kMixtral, .layers = mixtral_layers, .experts_module = "block_sparse_moe.experts.0.w1"};
extern constinit const HfFamily kLlama4Family{
    .architectures = kLlama4,
    .layers = llama4_layers,
    .experts_module = "feed_forward.experts.gate_up_proj",
    .shared_experts_module = "feed_forward.shared_expert.down_proj"};

}  // namespace warploom
