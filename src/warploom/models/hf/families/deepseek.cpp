// DeepSeek V2, V3, R1 and Kimi K2: latent attention and a mixture of experts; and GLM-4, which has the same
// mixture behind standard attention.
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"
#include "warploom/models/hf/mixer_readers.h"

namespace warploom {
namespace {

std::vector<LayerGroup> deepseek_layers(const ConfigValues& text, const ModelArchitecture&) {
  std::vector<LayerGroup> layers(static_cast<std::size_t>(layer_count_of(text)),
                                 {.mixer = read_latent_attention(text)});
  set_mixture_behind_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> glm4_layers(const ConfigValues& text, const ModelArchitecture& model) {
  AttentionHabits habits{.rotary_share = 0.5};
  if (text.flag("use_qk_norm", false)) habits.qk_norm = QueryKeyNorm::PerHead;
  std::vector<LayerGroup> layers =
      layers_of_types(text, model, layer_types_of(text, always_full), read_attention(text, model, habits));
  set_mixture_behind_dense(layers, text);
  return layers;
}

constexpr std::array<std::string_view, 5> kDeepSeek{
    "DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM", "Glm4MoeLiteForCausalLM",
    "KimiK25ForConditionalGeneration", "MistralLarge3ForCausalLM"};
constexpr std::array<std::string_view, 1> kAxk1{"AXK1ForCausalLM"};
constexpr std::array<std::string_view, 1> kGlm4{"Glm4MoeForCausalLM"};

}  // namespace

extern constinit const HfFamily kDeepSeekFamily{.architectures = kDeepSeek, .layers = deepseek_layers};
// A norm more, behind the experts.
extern constinit const HfFamily kAxk1Family{
    .architectures = kAxk1, .layers = deepseek_layers, .norms_per_layer = 3};
extern constinit const HfFamily kGlm4Family{.architectures = kGlm4, .layers = glm4_layers};

}  // namespace warploom
