// Mamba-2 alone, and Granite 4's hybrid: Mamba-2 and attention, each followed by experts or an MLP (after
// mamba2.py and granitemoehybrid.py of vLLM 0.33's model_executor/models).
#include <fmt/format.h>

#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"
#include "warploom/models/hf/mixer_readers.h"

namespace warploom {
namespace {

struct MambaKeys {
  std::string_view heads, head_dim, groups, state, convolution;
};
constexpr MambaKeys kMambaKeys{"num_heads", "head_dim", "n_groups", "state_size", "conv_kernel"};
constexpr MambaKeys kGraniteKeys{"mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state",
                                 "mamba_d_conv"};

Mamba2 read_mamba2(const ConfigValues& text, const ModelArchitecture& model, const MambaKeys& keys) {
  Mamba2 mamba;
  mamba.heads = text.needed(keys.heads);
  mamba.head_dim = text.needed(keys.head_dim);
  mamba.groups = text.needed(keys.groups);
  mamba.state = text.needed(keys.state);
  mamba.convolution_width = text.needed(keys.convolution);
  mamba.state_type = state_type_of(text, "mamba_ssm_cache_dtype", model.dtype);
  return mamba;
}

std::vector<LayerGroup> mamba2_layers(const ConfigValues& text, const ModelArchitecture& model) {
  return std::vector<LayerGroup>(
      static_cast<std::size_t>(layer_count_of(text)),
      {.mixer = read_mamba2(text, model, kMambaKeys), .feed_forward = NoFeedForward{}});
}

FeedForward granite_feed_forward(const ConfigValues& text) {
  if (text.integer("num_local_experts", 0) == 0)
    return DenseMlp{.intermediate = text.needed("shared_intermediate_size")};
  MixtureOfExperts mixture = read_mixture(text, "intermediate_size");
  mixture.shared_intermediate = text.integer("shared_intermediate_size", 0);
  return mixture;
}

std::vector<LayerGroup> granite_hybrid_layers(const ConfigValues& text, const ModelArchitecture& model) {
  const std::vector<std::string> types = text.texts("layer_types");
  if (std::ssize(types) != layer_count_of(text))
    throw InvalidInput(fmt::format("{}: 'layer_types' has {} entries, expected one for each of {} layers",
                                   text.where(), types.size(), layer_count_of(text)));
  Attention attention = read_attention(text, model, {.derives_head_dim = true});
  if (text.text("position_embedding_type", "rope") != "rope") attention.rotary_dim = 0;
  const FeedForward feed_forward = granite_feed_forward(text);
  std::vector<LayerGroup> layers;
  for (const std::string& type : types) {
    if (type != "mamba" && type != "attention")
      throw Unsupported(
          fmt::format("{}: 'layer_types' holds '{}', supported: mamba, attention", text.where(), type));
    LayerGroup layer{.mixer = attention, .feed_forward = feed_forward};
    if (type == "mamba") layer.mixer = read_mamba2(text, model, kGraniteKeys);
    layers.push_back(layer);
  }
  return layers;
}

constexpr std::array<std::string_view, 1> kMamba2{"Mamba2ForCausalLM"},
    kGraniteHybrid{"GraniteMoeHybridForCausalLM"};

}  // namespace

extern constinit const HfFamily kMamba2Family{
    .architectures = kMamba2, .layers = mamba2_layers, .mixer_path = "mixer"};
extern constinit const HfFamily kGraniteHybridFamily{.architectures = kGraniteHybrid,
                                                     .layers = granite_hybrid_layers,
                                                     .experts_module = "block_sparse_moe.input_linear",
                                                     .shared_experts_module = "shared_mlp.input_linear",
                                                     .mlp_module = "shared_mlp.input_linear",
                                                     .mixer_path = "mamba"};

}  // namespace warploom
