// Qwen of all generations, and MiMo-7B, which follows Qwen2.
#include <algorithm>
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

constexpr AttentionHabits kQwen2{.derives_head_dim = true, .qkv_bias = QkvBias::Always};
constexpr AttentionHabits kQwen3{.qk_norm = QueryKeyNorm::PerHead};
constexpr AttentionHabits kQwen3Next{.rotary_share = 0.25, .qk_norm = QueryKeyNorm::PerHead};
constexpr std::string_view kSharedExpert = "mlp.shared_expert.down_proj";

std::vector<LayerGroup> attending_layers(const ConfigValues& text, const ModelArchitecture& model,
                                         const AttentionHabits& habits) {
  const std::vector<LayerType> types = layer_types_of(text, sliding_where_used(text));
  return layers_of_types(text, model, types, read_attention(text, model, habits));
}

// Gated delta nets between full layers, whose output a gate scales.
std::vector<LayerGroup> hybrid_layers(const ConfigValues& text, const ModelArchitecture& model) {
  constexpr std::int64_t kUsualInterval = 4;
  const std::vector<LayerType> types =
      layer_types_of(text, full_every(text, "full_attention_interval", kUsualInterval, LayerType::Linear));
  Attention full = read_attention(text, model, kQwen3Next);
  if (std::find(types.begin(), types.end(), LayerType::Linear) != types.end())
    full.output_gate = text.flag("attn_output_gate", true);
  return layers_of_types(text, model, types, full);
}

void set_sparse(std::vector<LayerGroup>& layers, const ConfigValues& text,
                const std::function<MixtureOfExperts()>& mixture) {
  const std::vector<std::int64_t> dense = text.integers("mlp_only_layers");
  const std::int64_t step = std::max<std::int64_t>(1, text.integer("decoder_sparse_step", 1));
  set_feed_forward(
      layers, [&](std::int64_t i) { return !is_listed(dense, i) && (i + 1) % step == 0; },
      [&] { return read_dense_mlp(text); }, mixture);
}

// The first Qwen counts gate and up together.
std::vector<LayerGroup> qwen1_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers =
      layers_of_types(text, model, layer_types_of(text, always_full), read_attention(text, model, kQwen2));
  DenseMlp mlp = read_dense_mlp(text);
  mlp.intermediate /= 2;
  for (LayerGroup& layer : layers) layer.feed_forward = mlp;
  return layers;
}

std::vector<LayerGroup> qwen2_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending_layers(text, model, kQwen2);
  set_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> qwen2_moe_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending_layers(text, model, kQwen2);
  set_sparse(layers, text, [&] { return read_mixture_with_gated_shared(text); });
  return layers;
}

std::vector<LayerGroup> qwen3_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending_layers(text, model, kQwen3);
  set_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> qwen3_moe_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = attending_layers(text, model, kQwen3);
  set_sparse(layers, text, [&] { return read_mixture(text, "moe_intermediate_size"); });
  return layers;
}

std::vector<LayerGroup> qwen3_next_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = hybrid_layers(text, model);
  set_sparse(layers, text, [&] { return read_mixture_with_gated_shared(text); });
  return layers;
}

std::vector<LayerGroup> qwen35_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = hybrid_layers(text, model);
  set_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> qwen35_moe_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers = hybrid_layers(text, model);
  set_mixture(layers, read_mixture_with_gated_shared(text));
  return layers;
}

constexpr std::array<std::string_view, 1> kQwen1Names{"QWenLMHeadModel"};
constexpr std::array<std::string_view, 2> kQwen2Names{"MiMoForCausalLM", "Qwen2ForCausalLM"};
constexpr std::array<std::string_view, 1> kQwen2MoeNames{"Qwen2MoeForCausalLM"};
constexpr std::array<std::string_view, 2> kQwen3Names{"Qwen3ForCausalLM", "Qwen3VLForConditionalGeneration"};
constexpr std::array<std::string_view, 2> kQwen3MoeNames{"Qwen3MoeForCausalLM",
                                                         "Qwen3VLMoeForConditionalGeneration"};
constexpr std::array<std::string_view, 1> kQwen3NextNames{"Qwen3NextForCausalLM"};
constexpr std::array<std::string_view, 2> kQwen35Names{"Qwen3_5ForCausalLM",
                                                       "Qwen3_5ForConditionalGeneration"};
constexpr std::array<std::string_view, 2> kQwen35MoeNames{"Qwen3_5MoeForCausalLM",
                                                          "Qwen3_5MoeForConditionalGeneration"};

}  // namespace

extern constinit const HfFamily kQwen1Family{.architectures = kQwen1Names, .layers = qwen1_layers};
extern constinit const HfFamily kQwen2Family{.architectures = kQwen2Names, .layers = qwen2_layers};
extern constinit const HfFamily kQwen2MoeFamily{
    .architectures = kQwen2MoeNames, .layers = qwen2_moe_layers, .shared_experts_module = kSharedExpert};
extern constinit const HfFamily kQwen3Family{.architectures = kQwen3Names, .layers = qwen3_layers};
extern constinit const HfFamily kQwen3MoeFamily{
    .architectures = kQwen3MoeNames, .layers = qwen3_moe_layers, .shared_experts_module = kSharedExpert};
extern constinit const HfFamily kQwen3NextFamily{.architectures = kQwen3NextNames,
                                                 .layers = qwen3_next_layers,
                                                 .shared_experts_module = kSharedExpert,
                                                 .linear_attention_module = "linear_attn.in_proj_qkvz"};
extern constinit const HfFamily kQwen35Family{.architectures = kQwen35Names, .layers = qwen35_layers};
extern constinit const HfFamily kQwen35MoeFamily{
    .architectures = kQwen35MoeNames, .layers = qwen35_moe_layers, .shared_experts_module = kSharedExpert};

}  // namespace warploom
