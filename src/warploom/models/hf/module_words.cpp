#include "warploom/models/hf/module_words.h"

#include <algorithm>
#include <array>

namespace warploom {
namespace {

// As the classes of transformers, vLLM and the checkpoints' own code name them.
constexpr std::array<std::string_view, 68> kMixerWords{
    "q_proj", "k_proj", "v_proj", "o_proj", "qkv_proj", "kv_proj", "qkv", "proj", "query_key_value", "dense",
    "c_attn", "c_proj", "Wqkv", "W_pack", "wqkv", "wq", "wk", "wv", "wo", "query", "key", "value", "in_proj",
    "out_proj", "attention", "attn",
    // latent
    "q_a_proj", "q_b_proj", "kv_a_proj", "kv_a_proj_with_mqa", "kv_b_proj", "fused_qkv_a_proj",
    "fused_qkv_a_proj_with_mqa", "wq_a", "wq_b", "wkv", "wgate", "wo_a", "wo_b", "compressor",
    // indexers
    "indexer", "indexers_proj", "weights_proj", "index_q_proj", "index_k_proj", "index_kpool_compress_ape",
    "index_kpool_compress_gate",
    // recurrent
    "in_proj_qkv", "in_proj_z", "in_proj_a", "in_proj_b", "in_proj_qkvz", "in_proj_ba", "conv1d", "q_conv1d",
    "k_conv1d", "v_conv1d", "b_proj", "f_a_proj", "f_b_proj", "g_proj", "g_a_proj", "g_b_proj",
    "fused_qkvbfg_a_proj", "dt_proj", "x_proj", "gate_proj", "rotary_emb"};
constexpr std::array<std::string_view, 31> kFeedForwardWords{"gate_proj",
                                                             "up_proj",
                                                             "down_proj",
                                                             "gate_up_proj",
                                                             "up_gate_proj",
                                                             "w1",
                                                             "w2",
                                                             "w3",
                                                             "fc1",
                                                             "fc2",
                                                             "c_fc",
                                                             "c_proj",
                                                             "dense_h_to_4h",
                                                             "dense_4h_to_h",
                                                             "dense",
                                                             "wi",
                                                             "wo",
                                                             "input_linear",
                                                             "output_linear",
                                                             "linear_fc1",
                                                             "linear_fc2",
                                                             "experts",
                                                             "shared_experts",
                                                             "shared_expert",
                                                             "shared_mlp",
                                                             "switch_mlp",
                                                             "fc1_latent_proj",
                                                             "fc2_latent_proj",
                                                             "latent_in_proj",
                                                             "latent_out_proj",
                                                             "mlp"};

// Without weights of a product, under the names of checkpoints: routers, whose product is priced with the
// experts whatever its type, numbers by which residual streams are scaled (GLM 5.3, DeepSeek V4), and single
// numbers of a head or channel.
constexpr std::array<std::string_view, 18> kSmall{"gate",
                                                  "router",
                                                  "e_score_correction_bias",
                                                  "hc_attn_base",
                                                  "hc_ffn_base",
                                                  "hc_attn_scale",
                                                  "hc_ffn_scale",
                                                  "layer_scalar",
                                                  "shared_expert_gate",
                                                  "weight",
                                                  "bias",
                                                  "sinks",
                                                  "attn_sink",
                                                  "A_log",
                                                  "dt_bias",
                                                  "D",
                                                  "ape",
                                                  "inv_freq"};
// The last word of a norm's name: `input_layernorm`, `attention_norm`, `pre_feedforward_layernorm_2`.
constexpr std::array<std::string_view, 5> kNormWords{"norm", "layernorm", "rmsnorm", "enorm", "hnorm"};

template <std::size_t N>
bool lists(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_number(std::string_view word) {
  return word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool is_small_module(std::string_view name) {
  if (lists(kSmall, name)) return true;
  const std::size_t named = name.find_last_not_of("0123456789");
  if (named == std::string_view::npos) return false;
  name = name.substr(0, name[named] == '_' ? named : named + 1);
  const std::size_t word = name.rfind('_');
  return lists(kNormWords, word == std::string_view::npos ? name : name.substr(word + 1));
}

std::string_view unknown_module(const LayerPart& part, std::string_view path) {
  while (!path.empty()) {
    const std::string_view word = path.substr(0, path.find('.'));
    const bool known = is_number(word) || is_small_module(word) || (part.mixes && lists(kMixerWords, word)) ||
                       (part.feeds && lists(kFeedForwardWords, word));
    if (!known) return word;
    path.remove_prefix(std::min(path.size(), word.size() + 1));
  }
  return {};
}

std::vector<std::string> module_words(const LayerPart& part) {
  std::vector<std::string> words;
  if (part.mixes) words.insert(words.end(), kMixerWords.begin(), kMixerWords.end());
  if (part.feeds) words.insert(words.end(), kFeedForwardWords.begin(), kFeedForwardWords.end());
  return words;
}

}  // namespace warploom
