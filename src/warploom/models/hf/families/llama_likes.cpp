// Families that differ from Llama in a norm, a gate or the form of their mixture (each after its file in
// vLLM's model_executor/models).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

std::vector<LayerGroup> attending(const ConfigValues& text, const ModelArchitecture& model,
                                  const AttentionHabits& habits) {
  return layers_of_types(text, model, layer_types_of(text, always_full), read_attention(text, model, habits));
}

// Mechanisms that a config of a family may ask for and that are not modelled.
void refuse_mechanism(const ConfigValues& text, std::string_view key) {
  if (is_switched_on(text, key))
    throw Unsupported(fmt::format("{}: '{}' is not modelled", text.where(), key));
}

std::vector<LayerGroup> glm4_dense_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending(text, model, {.derives_head_dim = true, .rotary_share = 0.5});
  set_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> deepseek1_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending(text, model, {.derives_head_dim = true});
  set_mixture_behind_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> olmoe_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers =
      attending(text, model, {.derives_head_dim = true, .qk_norm = QueryKeyNorm::FullWidth});
  set_mixture(layers, read_mixture(text, "intermediate_size"));
  return layers;
}

std::vector<LayerGroup> ungated_layers(const ConfigValues& text, const ModelArchitecture& model,
                                       const AttentionHabits& habits) {
  std::vector<LayerGroup> layers = attending(text, model, habits);
  DenseMlp mlp = read_dense_mlp(text);
  mlp.gated = false;
  for (LayerGroup& layer : layers) layer.feed_forward = mlp;
  return layers;
}

std::vector<LayerGroup> nemotron_layers(const ConfigValues& text, const ModelArchitecture& model) {
  return ungated_layers(text, model, {.derives_head_dim = true, .rotary_share = 0.5});
}

std::vector<LayerGroup> apertus_layers(const ConfigValues& text, const ModelArchitecture& model) {
  return ungated_layers(text, model, {.derives_head_dim = true, .qk_norm = QueryKeyNorm::PerHead});
}

std::vector<LayerGroup> stablelm_layers(const ConfigValues& text, const ModelArchitecture& model) {
  refuse_mechanism(text, "qk_layernorm");
  refuse_mechanism(text, "use_parallel_residual");
  AttentionHabits habits{.derives_head_dim = true, .rotary_share = 0.25};
  if (text.flag("use_qkv_bias", false)) habits.qkv_bias = QkvBias::Always;
  std::vector<LayerGroup> layers = attending(text, model, habits);
  set_dense(layers, text);
  return layers;
}

// Attention and MLP read the same norm.
std::vector<LayerGroup> cohere_layers(const ConfigValues& text, const ModelArchitecture& model) {
  constexpr std::int64_t kUsualPattern = 4;
  const bool windows = text.has("sliding_window");
  const std::vector<LayerType> types =
      layer_types_of(text, full_every(text, "sliding_window_pattern", kUsualPattern,
                                      windows ? LayerType::Sliding : LayerType::Full));
  AttentionHabits habits{.derives_head_dim = true};
  if (text.flag("use_qk_norm", false)) habits.qk_norm = QueryKeyNorm::PerHead;
  std::vector<LayerGroup> layers = layers_of_types(text, model, types, read_attention(text, model, habits));
  set_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> granite_moe_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending(text, model, {.derives_head_dim = true});
  MixtureOfExperts mixture = read_mixture(text, "intermediate_size");
  mixture.shared_intermediate = text.integer("shared_intermediate_size", 0);
  set_mixture(layers, mixture);
  return layers;
}

std::vector<LayerGroup> bailing_layers(const ConfigValues& text, const ModelArchitecture& model) {
  AttentionHabits habits{.derives_head_dim = true};
  if (text.flag("use_qk_norm", false)) habits.qk_norm = QueryKeyNorm::PerHead;
  if (text.flag("use_qkv_bias", false)) habits.qkv_bias = QkvBias::Always;
  std::vector<LayerGroup> layers = attending(text, model, habits);
  const std::int64_t first = text.integer("first_k_dense_replace", 0);
  set_feed_forward(
      layers, [&](std::int64_t i) { return i >= first; }, [&] { return read_dense_mlp(text); },
      [&] {
        MixtureOfExperts mixture = read_mixture(text, "moe_intermediate_size");
        mixture.shared_intermediate =
            product_of(text, "num_shared_experts",
                       text.has("moe_shared_expert_intermediate_size") ? "moe_shared_expert_intermediate_size"
                                                                       : "moe_intermediate_size");
        return mixture;
      });
  return layers;
}

std::vector<LayerGroup> ernie_moe_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending(text, model, {.derives_head_dim = true});
  const std::int64_t first = text.integer("moe_layer_start_index", 0);
  const std::int64_t last = text.integer("moe_layer_end_index", std::ssize(layers) - 1);
  const std::int64_t interval = std::max<std::int64_t>(1, text.integer("moe_layer_interval", 1));
  set_feed_forward(
      layers, [&](std::int64_t i) { return i >= first && i <= last && (i + 1) % interval == 0; },
      [&] { return read_dense_mlp(text); },
      [&] {
        MixtureOfExperts mixture;
        mixture.experts = text.needed("moe_num_experts");
        mixture.top_k = text.needed("moe_k");
        mixture.intermediate = text.needed("moe_intermediate_size");
        mixture.shared_intermediate = product_of(text, "moe_num_shared_experts", "moe_intermediate_size");
        return mixture;
      });
  return layers;
}

constexpr std::array<std::string_view, 1> kGlm4Dense{"Glm4ForCausalLM"}, kDeepSeek1{"DeepseekForCausalLM"},
    kOlmoe{"OlmoeForCausalLM"}, kNemotron{"NemotronForCausalLM"}, kApertus{"ApertusForCausalLM"},
    kStableLm{"StableLmForCausalLM"}, kPhiMoe{"PhiMoEForCausalLM"}, kErnieMoe{"Ernie4_5_MoeForCausalLM"};
constexpr std::array<std::string_view, 2> kCohere{"CohereForCausalLM", "Cohere2ForCausalLM"},
    kGraniteMoe{"GraniteMoeForCausalLM", "GraniteMoeSharedForCausalLM"};
constexpr std::array<std::string_view, 3> kBailing{"BailingMoeForCausalLM", "BailingMoeV2ForCausalLM",
                                                   "SarvamMoEForCausalLM"};

}  // namespace

extern constinit const HfFamily kGlm4DenseFamily{
    .architectures = kGlm4Dense, .layers = glm4_dense_layers, .norms_per_layer = 4};
extern constinit const HfFamily kDeepSeek1Family{.architectures = kDeepSeek1, .layers = deepseek1_layers};
extern constinit const HfFamily kOlmoeFamily{.architectures = kOlmoe, .layers = olmoe_layers};
extern constinit const HfFamily kNemotronFamily{
    .architectures = kNemotron, .layers = nemotron_layers, .layer_norm = true};
extern constinit const HfFamily kApertusFamily{.architectures = kApertus, .layers = apertus_layers};
extern constinit const HfFamily kStableLmFamily{
    .architectures = kStableLm, .layers = stablelm_layers, .layer_norm = true};
extern constinit const HfFamily kCohereFamily{.architectures = kCohere,
                                              .layers = cohere_layers,
                                              .norms_per_layer = 1,
                                              .layer_norm = true,
                                              .tie_embeddings = true};
extern constinit const HfFamily kGraniteMoeFamily{.architectures = kGraniteMoe,
                                                  .layers = granite_moe_layers,
                                                  .experts_module = "block_sparse_moe.input_linear",
                                                  .shared_experts_module = "shared_mlp.input_linear"};
extern constinit const HfFamily kPhiMoeFamily{.architectures = kPhiMoe,
                                              .layers = granite_moe_layers,
                                              .layer_norm = true,
                                              .experts_module = "block_sparse_moe.experts.0.w1"};
extern constinit const HfFamily kBailingFamily{.architectures = kBailing, .layers = bailing_layers};
extern constinit const HfFamily kErnieMoeFamily{.architectures = kErnieMoe, .layers = ernie_moe_layers};

}  // namespace warploom
