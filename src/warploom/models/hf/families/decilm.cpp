// DeciLM (Nemotron-Super): an architecture search chose the heads and the width of each layer, or left the
// part out.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

// Mechanisms that a block may ask for and no kind of layer models.
constexpr std::array<std::string_view, 6> kUnknown{
    "replace_with_linear", "sparsify",       "window_length",
    "num_sink_tokens",     "unshifted_sink", "use_prefill_window_in_sink_attention"};

ConfigValues part_of(const ConfigValues& block, std::string_view key) {
  const auto part = block.nested(key);
  if (!part) throw InvalidInput(fmt::format("{}: '{}' is missing, expected an object", block.where(), key));
  for (const std::string_view name : kUnknown)
    if (is_switched_on(*part, name))
      throw Unsupported(fmt::format("{}: '{}' is not modelled", part->where(), name));
  return *part;
}

Mixer mixer_of(const ConfigValues& part, Attention attention) {
  if (part.flag("no_op", false)) return NoMixer{};
  const std::int64_t queries = part.needed("n_heads_in_group");
  if (attention.heads % queries != 0)
    throw InvalidInput(fmt::format("{}: 'n_heads_in_group' is {}, expected a divisor of {} heads",
                                   part.where(), queries, attention.heads));
  attention.kv_heads = attention.heads / queries;
  return attention;
}

// Two thirds of the multiple, as a gated MLP has three matrices, rounded up to a multiple of 256.
FeedForward feed_forward_of(const ConfigValues& part, std::int64_t hidden) {
  constexpr std::int64_t kMultiple = 256;
  constexpr double kMost = 1024;
  if (part.flag("no_op", false)) return NoFeedForward{};
  const double ratio = part.real("ffn_mult", 0);
  if (!(ratio > 0 && ratio <= kMost))
    throw InvalidInput(
        fmt::format("{}: 'ffn_mult' is {}, expected above 0 and at most {}", part.where(), ratio, kMost));
  const auto width = static_cast<std::int64_t>(2.0 * ratio * static_cast<double>(hidden) / 3.0);
  return DenseMlp{.intermediate = (width + kMultiple - 1) / kMultiple * kMultiple};
}

std::vector<LayerGroup> decilm_layers(const ConfigValues& text, const ModelArchitecture& model) {
  const std::int64_t count = layer_count_of(text);
  const Attention attention = read_attention(text, model, {.derives_head_dim = true});
  const Json* blocks = text.find("block_configs");
  if (blocks == nullptr || !blocks->is_array() || std::ssize(*blocks) != count)
    throw InvalidInput(fmt::format(
        "{}: 'block_configs' has no list of {} blocks, expected one for each layer", text.where(), count));
  std::vector<LayerGroup> layers;
  for (const Json& entry : *blocks) {
    const ConfigValues block(entry, fmt::format("{}: block_configs[{}]", text.where(), layers.size()));
    if (!entry.is_object()) throw InvalidInput(fmt::format("{}: expected an object", block.where()));
    layers.push_back({.mixer = mixer_of(part_of(block, "attention"), attention),
                      .feed_forward = feed_forward_of(part_of(block, "ffn"), model.hidden)});
  }
  return layers;
}

constexpr std::array<std::string_view, 1> kNames{"DeciLMForCausalLM"};
constexpr std::array<std::string_view, 1> kReads{"block_configs"};

}  // namespace

extern constinit const HfFamily kDeciLmFamily{
    .architectures = kNames, .layers = decilm_layers, .reads_keys = kReads};

}  // namespace warploom
