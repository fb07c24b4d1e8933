// Step-3.5-Flash and Step-3.7-Flash: windowed layers with more heads than full ones, a gate on each head.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

// Heads of windowed layers, where a config leaves 'attention_other_setting' out: Step-3.5-Flash's, whose
// sizes are the same (its config.json).
constexpr std::int64_t kWindowedHeads = 96;

Attention full_attention(const ConfigValues& text, const ModelArchitecture& model) {
  Attention attention = read_attention(text, model, {.qk_norm = QueryKeyNorm::PerHead});
  attention.kv_heads = text.needed({"num_attention_groups", "num_key_value_heads"});
  attention.head_gate = text.flag("use_head_wise_attn_gate", true);
  return attention;
}

Attention windowed_attention(const ConfigValues& text, Attention attention) {
  const auto other = text.nested("attention_other_setting");
  attention.heads = other ? other->needed("num_attention_heads") : kWindowedHeads;
  if (other) attention.kv_heads = other->needed("num_attention_groups");
  if (other && other->has("head_dim"))
    attention.head_dim = attention.value_head_dim = attention.rotary_dim = other->needed("head_dim");
  return attention;
}

// "3,4,5": a text, in which layers with experts are listed.
std::vector<std::int64_t> listed_layers(const ConfigValues& text) {
  const std::string list = text.text("moe_layers_enum");
  std::vector<std::int64_t> layers;
  for (const char* at = list.data(); at < list.data() + list.size(); ++at) {
    std::int64_t layer = 0;
    const auto [end, error] = std::from_chars(at, list.data() + list.size(), layer);
    if (error != std::errc())
      throw InvalidInput(fmt::format("{}: 'moe_layers_enum' is '{}', expected numbers with commas between",
                                     text.where(), list));
    layers.push_back(layer);
    at = end;
  }
  return layers;
}

MixtureOfExperts read_experts(const ConfigValues& text) {
  MixtureOfExperts mixture;
  mixture.experts = text.needed({"moe_num_experts", "num_experts"});
  mixture.top_k = text.needed({"moe_top_k", "num_experts_per_tok"});
  mixture.intermediate = text.needed("moe_intermediate_size");
  mixture.shared_intermediate = text.needed({"share_expert_dim", "share_expert_dims"});
  return mixture;
}

std::vector<LayerGroup> step_layers(const ConfigValues& text, const ModelArchitecture& model) {
  const Attention full = full_attention(text, model);
  std::vector<LayerGroup> layers =
      layers_of_types(text, model, layer_types_of(text, always_full), full, windowed_attention(text, full));
  const std::vector<std::int64_t> listed = listed_layers(text);
  const std::int64_t first = text.integer("first_k_dense_replace", 0);
  set_feed_forward(
      layers, [&](std::int64_t i) { return listed.empty() ? i >= first : is_listed(listed, i); },
      [&] { return read_dense_mlp(text); }, [&] { return read_experts(text); });
  return layers;
}

void step_facts(const ConfigValues& text, ModelArchitecture& model) {
  if (!text.has("attention_other_setting"))
    model.notes.emplace_back(
        "the config leaves out the heads of windowed layers: 96, as Step-3.5-Flash has them");
}

constexpr std::array<std::string_view, 3> kNames{"Step3p5ForCausalLM", "Step3p7FlashForCausalLM",
                                                 "Step3p7ForConditionalGeneration"};

}  // namespace

extern constinit const HfFamily kStepFamily{.architectures = kNames,
                                            .layers = step_layers,
                                            .facts = step_facts,
                                            .experts_module = "moe.gate_proj",
                                            .shared_experts_module = "share_expert.down_proj"};

}  // namespace warploom
