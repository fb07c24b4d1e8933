// Families of one model each: Phi-2, gpt-oss, MiniMax-M2.
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

std::vector<LayerGroup> phi_layers(const ConfigValues& text, const ModelArchitecture& model) {
  const AttentionHabits habits{.derives_head_dim = true, .rotary_share = 0.5, .qkv_bias = QkvBias::Always};
  std::vector<LayerGroup> layers =
      layers_of_types(text, model, layer_types_of(text, always_full), read_attention(text, model, habits));
  DenseMlp mlp = read_dense_mlp(text);
  mlp.gated = false;
  for (LayerGroup& layer : layers) layer.feed_forward = mlp;
  return layers;
}

std::vector<LayerGroup> gpt_oss_layers(const ConfigValues& text, const ModelArchitecture& model) {
  const auto in_turns = [](std::int64_t i) { return i % 2 == 0 ? LayerType::Sliding : LayerType::Full; };
  const Attention full = read_attention(text, model, {.qkv_bias = QkvBias::UsuallyThere});
  std::vector<LayerGroup> layers = layers_of_types(text, model, layer_types_of(text, in_turns), full);
  set_mixture(layers, read_mixture(text, "intermediate_size"));
  return layers;
}

std::vector<LayerGroup> minimax_layers(const ConfigValues& text, const ModelArchitecture& model) {
  AttentionHabits habits;
  if (text.flag("use_qk_norm", true)) habits.qk_norm = QueryKeyNorm::FullWidth;
  std::vector<LayerGroup> layers =
      layers_of_types(text, model, layer_types_of(text, always_full), read_attention(text, model, habits));
  set_mixture(layers, read_mixture(text, "intermediate_size"));
  return layers;
}

constexpr std::array<std::string_view, 1> kPhi{"PhiForCausalLM"};
constexpr std::array<std::string_view, 1> kGptOss{"GptOssForCausalLM"};
constexpr std::array<std::string_view, 1> kMiniMax{"MiniMaxM2ForCausalLM"};

}  // namespace

extern constinit const HfFamily kPhiFamily{
    .architectures = kPhi, .layers = phi_layers, .norms_per_layer = 1, .layer_norm = true};
extern constinit const HfFamily kGptOssFamily{.architectures = kGptOss, .layers = gpt_oss_layers};
extern constinit const HfFamily kMiniMaxFamily{.architectures = kMiniMax, .layers = minimax_layers};

}  // namespace warploom
