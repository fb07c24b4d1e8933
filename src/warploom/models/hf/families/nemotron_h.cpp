// Nemotron-H and Nemotron-3: blocks of one part each, which are a Mamba-2 state space, attention without
// positions, an MLP without a gate, or experts that may work in a latent.
#include <fmt/format.h>

#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"
#include "warploom/models/hf/mixer_readers.h"

namespace warploom {
namespace {

enum class Block { Mamba, Attention, Mlp, Experts };

Block block_from_letter(char letter, const ConfigValues& text) {
  switch (letter) {
    case 'M':
      return Block::Mamba;
    case '*':
      return Block::Attention;
    case '-':
      return Block::Mlp;
    case 'E':
      return Block::Experts;
    default:
      throw Unsupported(
          fmt::format("{}: 'hybrid_override_pattern' holds '{}', a kind of block that is not modelled, "
                      "expected M, *, - or E",
                      text.where(), letter));
  }
}

Block block_from_name(const std::string& name, const ConfigValues& text) {
  if (name == "mamba") return Block::Mamba;
  if (name == "attention") return Block::Attention;
  if (name == "mlp") return Block::Mlp;
  if (name == "moe") return Block::Experts;
  throw Unsupported(
      fmt::format("{}: 'layers_block_type' holds '{}', a kind of block that is not modelled, expected mamba, "
                  "attention, mlp or moe",
                  text.where(), name));
}

std::vector<Block> blocks_of(const ConfigValues& text) {
  std::vector<Block> blocks;
  for (const std::string& name : text.texts("layers_block_type"))
    blocks.push_back(block_from_name(name, text));
  if (blocks.empty())
    for (const char letter : text.text("hybrid_override_pattern"))
      blocks.push_back(block_from_letter(letter, text));
  if (blocks.empty())
    throw InvalidInput(
        fmt::format("{}: 'hybrid_override_pattern' or 'layers_block_type' is missing, this "
                    "architecture needs one",
                    text.where()));
  if (text.has("num_hidden_layers") && layer_count_of(text) != std::ssize(blocks))
    throw InvalidInput(fmt::format("{}: {} blocks are given for 'num_hidden_layers' {}, expected as many",
                                   text.where(), blocks.size(), layer_count_of(text)));
  return blocks;
}

Mamba2 read_mamba2(const ConfigValues& text) {
  Mamba2 mamba;
  mamba.heads = text.needed("mamba_num_heads");
  mamba.head_dim = text.needed("mamba_head_dim");
  mamba.groups = text.needed("n_groups");
  mamba.state = text.needed("ssm_state_size");
  mamba.convolution_width = text.needed("conv_kernel");
  mamba.state_type = state_type_of(text, "mamba_ssm_cache_dtype", DataType::Fp32);
  return mamba;
}

Attention read_still_attention(const ConfigValues& text, const ModelArchitecture& model) {
  Attention attention;
  attention.heads = text.needed("num_attention_heads");
  attention.kv_heads = text.needed("num_key_value_heads");
  attention.head_dim = text.has("head_dim") || text.has("attention_head_dim")
                           ? text.needed({"head_dim", "attention_head_dim"})
                           : model.hidden / attention.heads;
  attention.value_head_dim = attention.head_dim;
  attention.qkv_bias = text.flag("attention_bias", false);
  return attention;
}

MixtureOfExperts read_experts(const ConfigValues& text) {
  MixtureOfExperts mixture = read_mixture(text, "moe_intermediate_size");
  mixture.gated = false;
  mixture.shared_intermediate = product_of(text, "n_shared_experts", "moe_shared_expert_intermediate_size");
  mixture.latent = text.integer("moe_latent_size", 0);
  return mixture;
}

std::vector<LayerGroup> nemotron_h_layers(const ConfigValues& text, const ModelArchitecture& model) {
  std::vector<LayerGroup> layers;
  for (const Block block : blocks_of(text)) {
    LayerGroup layer{.mixer = NoMixer{}, .feed_forward = NoFeedForward{}};
    if (block == Block::Mamba) layer.mixer = read_mamba2(text);
    if (block == Block::Attention) layer.mixer = read_still_attention(text, model);
    if (block == Block::Mlp)
      layer.feed_forward = DenseMlp{.intermediate = text.needed("intermediate_size"), .gated = false};
    if (block == Block::Experts) layer.feed_forward = read_experts(text);
    layers.push_back(layer);
  }
  return layers;
}

constexpr std::array<std::string_view, 1> kNames{"NemotronHForCausalLM"};
constexpr std::array<std::string_view, 2> kReads{"hybrid_override_pattern", "moe_latent_size"};

}  // namespace

extern constinit const HfFamily kNemotronHFamily{.architectures = kNames,
                                                 .layers = nemotron_h_layers,
                                                 .experts_module = "mixer.experts.0.up_proj",
                                                 .shared_experts_module = "mixer.shared_experts.up_proj",
                                                 .mlp_module = "mixer.up_proj",
                                                 .mixer_path = "mixer",
                                                 .reads_keys = kReads};

}  // namespace warploom
