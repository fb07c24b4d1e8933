// MiMo-V2-Flash: a few full layers among windowed ones with more KV heads, keys wider than values.
#include <fmt/format.h>

#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

// Keys of full layers stand by themselves, those of windowed layers behind "swa_".
struct AttentionKeys {
  std::string_view heads, kv_heads, head_dim, value_head_dim, sinks;
};
constexpr AttentionKeys kFull{"num_attention_heads", "num_key_value_heads", "head_dim", "v_head_dim",
                              "add_full_attention_sink_bias"};
constexpr AttentionKeys kWindowed{"swa_num_attention_heads", "swa_num_key_value_heads", "swa_head_dim",
                                  "swa_v_head_dim", "add_swa_attention_sink_bias"};

Attention attention_of(const ConfigValues& text, const AttentionKeys& keys) {
  Attention attention;
  attention.heads = text.needed(keys.heads);
  attention.kv_heads = text.needed(keys.kv_heads);
  attention.head_dim = text.needed(keys.head_dim);
  attention.value_head_dim =
      text.has(keys.value_head_dim) ? text.needed(keys.value_head_dim) : attention.head_dim;
  attention.rotary_dim = rotary_dim_of(text, attention.head_dim, 1.0);
  attention.qkv_bias = text.flag("attention_bias", false);
  attention.scales_values = text.has("attention_value_scale");
  attention.sinks = text.flag(keys.sinks, false);
  return attention;
}

// A list of 0 and 1 with one entry for each layer.
std::vector<std::int64_t> marks_of(const ConfigValues& text, std::string_view key, std::int64_t layers) {
  std::vector<std::int64_t> marks = text.integers(key);
  if (std::ssize(marks) != layers)
    throw InvalidInput(fmt::format("{}: '{}' has {} entries, expected one for each of {} layers",
                                   text.where(), key, marks.size(), layers));
  for (const std::int64_t mark : marks)
    if (mark != 0 && mark != 1)
      throw Unsupported(
          fmt::format("{}: '{}' holds {}, a kind of layer that is not modelled, expected 0 or 1",
                      text.where(), key, mark));
  return marks;
}

std::vector<LayerGroup> mimo_v2_layers(const ConfigValues& text, const ModelArchitecture& model) {
  const std::int64_t count = layer_count_of(text);
  const std::vector<std::int64_t> windowed = marks_of(text, "hybrid_layer_pattern", count),
                                  sparse = marks_of(text, "moe_layer_freq", count);
  const Attention full = attention_of(text, kFull);
  const Attention narrow = with_window(attention_of(text, kWindowed), AttentionReach::SlidingWindow,
                                       text.needed({"sliding_window_size", "sliding_window"}), model);
  std::vector<LayerGroup> layers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].mixer = windowed[i] != 0 ? narrow : full;
  set_feed_forward(
      layers, [&](std::int64_t i) { return sparse[static_cast<std::size_t>(i)] != 0; },
      [&] { return read_dense_mlp(text); }, [&] { return read_mixture_with_shared(text); });
  return layers;
}

// The config does not count them. The checkpoint has three, of which vLLM runs the first alone
// (model_executor/models/mimo_v2_mtp.py).
constexpr std::int64_t kPredictionModules = 1;
void mimo_v2_facts(const ConfigValues&, ModelArchitecture& model) { model.mtp_layers = kPredictionModules; }

constexpr std::array<std::string_view, 2> kNames{"MiMoV2FlashForCausalLM", "MiMoV2ForCausalLM"};

}  // namespace

extern constinit const HfFamily kMimoV2Family{
    .architectures = kNames, .layers = mimo_v2_layers, .facts = mimo_v2_facts};

}  // namespace warploom
