// Kimi-Linear and Kimi-K3: Kimi delta attention between layers of latent attention without positions; in K3
// gates, experts in a latent, and sums over the outputs of earlier blocks of layers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"
#include "warploom/models/hf/mixer_readers.h"

namespace warploom {
namespace {

LatentAttention read_still_latent(const ConfigValues& text) {
  LatentAttention latent = read_latent_attention(text);
  latent.rotates = !text.flag("mla_use_nope", false);
  latent.output_gate = text.flag("mla_use_output_gate", false);
  return latent;
}

MixtureOfExperts read_experts(const ConfigValues& text) {
  MixtureOfExperts mixture = read_mixture(text, "moe_intermediate_size");
  mixture.shared_intermediate = product_of(text, "num_shared_experts", "moe_intermediate_size");
  mixture.latent = text.integer("routed_expert_hidden_size", 0);
  mixture.latent_norm = mixture.latent > 0 && text.flag("latent_moe_use_norm", false);
  return mixture;
}

std::vector<LayerGroup> kimi_linear_layers(const ConfigValues& text, const ModelArchitecture&) {
  const KimiDelta delta = read_kimi_delta(text);
  const LatentAttention latent = read_still_latent(text);
  // Counted from 1.
  const std::vector<std::int64_t> delta_layers = text.nested("linear_attn_config")->integers("kda_layers");
  std::vector<LayerGroup> layers(static_cast<std::size_t>(layer_count_of(text)));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (is_listed(delta_layers, static_cast<std::int64_t>(i) + 1))
      layers[i].mixer = delta;
    else
      layers[i].mixer = latent;
  }
  const std::int64_t first = text.integer("first_k_dense_replace", 0);
  const std::int64_t frequency = std::max<std::int64_t>(1, text.integer("moe_layer_freq", 1));
  set_feed_forward(
      layers, [&](std::int64_t i) { return i >= first && i % frequency == 0; },
      [&] { return read_dense_mlp(text); }, [&] { return read_experts(text); });
  return layers;
}

void kimi_facts(const ConfigValues& text, ModelArchitecture& model) {
  model.residual.block = text.integer("attn_res_block_size", 0);
}

constexpr std::array<std::string_view, 2> kNames{"KimiK3ForConditionalGeneration", "KimiLinearForCausalLM"};
constexpr std::array<std::string_view, 3> kReads{"linear_attn_config", "attn_res_block_size",
                                                 "routed_expert_hidden_size"};

}  // namespace

extern constinit const HfFamily kKimiLinearFamily{
    .architectures = kNames, .layers = kimi_linear_layers, .facts = kimi_facts, .reads_keys = kReads};

}  // namespace warploom
