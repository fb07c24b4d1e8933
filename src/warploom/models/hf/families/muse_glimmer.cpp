// Muse-Glimmer: windowed layers that rotate between full ones that do not, and a gate on the outputs of
// attention.
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

std::vector<LayerGroup> muse_glimmer_layers(const ConfigValues& text, const ModelArchitecture& model) {
  Attention windowed = read_attention(text, model, {.qk_norm = QueryKeyNorm::PerHead});
  windowed.qk_norm_weights = false;
  windowed.output_gate = text.flag("use_attn_output_gate", true);
  Attention full = windowed;
  full.rotary_dim = 0;
  constexpr std::int64_t kUsualPattern = 4;
  const std::vector<LayerType> types =
      layer_types_of(text, full_every(text, "sliding_window_pattern", kUsualPattern, LayerType::Sliding));
  std::vector<LayerGroup> layers = layers_of_types(text, model, types, full, windowed);
  set_dense(layers, text);
  return layers;
}

constexpr std::array<std::string_view, 2> kNames{"MuseGlimmerForCausalLM",
                                                 "MuseGlimmerForConditionalGeneration"};

}  // namespace

extern constinit const HfFamily kMuseGlimmerFamily{
    .architectures = kNames, .layers = muse_glimmer_layers, .norms_per_layer = 4};

}  // namespace warploom
