// Gemma of the first three generations.
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

std::vector<LayerGroup> layers_of(const ConfigValues& text, const ModelArchitecture& model,
                                  const std::vector<LayerType>& types, const AttentionHabits& habits) {
  std::vector<LayerGroup> layers = layers_of_types(text, model, types, read_attention(text, model, habits));
  set_dense(layers, text);
  return layers;
}

std::vector<LayerGroup> gemma_layers(const ConfigValues& text, const ModelArchitecture& model) {
  return layers_of(text, model, layer_types_of(text, always_full), {});
}

std::vector<LayerGroup> gemma2_layers(const ConfigValues& text, const ModelArchitecture& model) {
  const auto in_turns = [](std::int64_t i) { return i % 2 == 0 ? LayerType::Sliding : LayerType::Full; };
  return layers_of(text, model, layer_types_of(text, in_turns), {});
}

std::vector<LayerGroup> gemma3_layers(const ConfigValues& text, const ModelArchitecture& model) {
  constexpr std::int64_t kUsualPattern = 6;
  const auto pattern = full_every(text, "sliding_window_pattern", kUsualPattern, LayerType::Sliding);
  return layers_of(text, model, layer_types_of(text, pattern), {.qk_norm = QueryKeyNorm::PerHead});
}

constexpr std::array<std::string_view, 1> kGemma{"GemmaForCausalLM"};
constexpr std::array<std::string_view, 1> kGemma2{"Gemma2ForCausalLM"};
constexpr std::array<std::string_view, 2> kGemma3{"Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"};

}  // namespace

extern constinit const HfFamily kGemmaFamily{
    .architectures = kGemma, .layers = gemma_layers, .tie_embeddings = true};
extern constinit const HfFamily kGemma2Family{
    .architectures = kGemma2, .layers = gemma2_layers, .norms_per_layer = 4, .tie_embeddings = true};
extern constinit const HfFamily kGemma3Family{
    .architectures = kGemma3, .layers = gemma3_layers, .norms_per_layer = 4, .tie_embeddings = true};

}  // namespace warploom
