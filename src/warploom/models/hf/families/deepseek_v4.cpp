// DeepSeek-V4 and V4.1: attention over a window and a compressed cache, hyper-connections, experts of four
// bits. V4.1 shares caches and choices between layers and looks up n-grams in tables.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"
#include "warploom/models/hf/mixer_readers.h"

namespace warploom {
namespace {

// V4's compressors; entries of groups of 4 overlap and have an indexer, those of 128 have neither.
constexpr std::int64_t kIndexedRatio = 4, kWideRatio = 128;
constexpr double kFp4ScaleGroup = 32;  // of V4.1's index keys

std::vector<std::int64_t> ratios_of(const ConfigValues& text) {
  std::vector<std::int64_t> ratios = text.integers("compress_ratios");
  const std::int64_t layers = layer_count_of(text);
  // Entries beyond the layers are those of the layers for multi-token prediction.
  if (std::ssize(ratios) < layers)
    throw InvalidInput(fmt::format("{}: 'compress_ratios' has {} entries, expected one for each of {} layers",
                                   text.where(), ratios.size(), layers));
  ratios.resize(static_cast<std::size_t>(layers));
  return ratios;
}

CompressedLatent read_window(const ConfigValues& text) {
  CompressedLatent attention;
  attention.q_lora_rank = text.needed("q_lora_rank");
  attention.heads = text.needed("num_attention_heads");
  attention.head_dim = text.needed("head_dim");
  attention.rope_head_dim = text.needed("qk_rope_head_dim");
  attention.o_groups = text.needed("o_groups");
  attention.o_lora_rank = text.needed("o_lora_rank");
  attention.window = text.needed("sliding_window");
  attention.index_heads = text.needed("index_n_heads");
  attention.index_dim = text.needed("index_head_dim");
  attention.compressor = false;
  return attention;
}

void check_choice(const ConfigValues& text, std::int64_t top_k, std::int64_t ratio) {
  const std::int64_t longest = text.integer("max_position_embeddings", 0);
  if (longest > 0 && top_k > longest / ratio)
    throw InvalidInput(
        fmt::format("{}: 'index_topk' is {}, expected at most the {} entries of the longest "
                    "request ('max_position_embeddings' / {})",
                    text.where(), top_k, longest / ratio, ratio));
}

CompressedLatent v4_attention(const ConfigValues& text, CompressedLatent attention, std::int64_t ratio) {
  attention.compress_ratio = ratio;
  if (ratio == 0) return attention;
  if (ratio != kIndexedRatio && ratio != kWideRatio)
    throw Unsupported(
        fmt::format("{}: 'compress_ratios' holds {}, a compressor that is not modelled, expected "
                    "0, {} or {}",
                    text.where(), ratio, kIndexedRatio, kWideRatio));
  attention.compressor = true;
  attention.overlaps = attention.indexer = attention.index_keys = ratio == kIndexedRatio;
  if (attention.indexer) {
    attention.top_k = text.needed("index_topk");
    check_choice(text, attention.top_k, ratio);
  }
  return attention;
}

CompressedLatent v41_attention(const ConfigValues& text, CompressedLatent attention, std::int64_t ratio,
                               std::int64_t layer) {
  attention.compress_ratio = ratio;
  if (ratio == 0) return attention;
  if (ratio > 2)
    throw Unsupported(
        fmt::format("{}: 'compress_ratios' holds {}, a compressor that is not modelled, expected "
                    "0, 1 or 2",
                    text.where(), ratio));
  attention.compressor = attention.index_keys = is_listed(text.integers("kv_source_layer_ids"), layer);
  attention.indexer = is_listed(text.integers("index_source_layer_ids"), layer);
  attention.compresses_index = false;
  attention.index_type = DataType::NvFp4;
  attention.index_scale_group = kFp4ScaleGroup;
  attention.top_k = text.needed("index_topk");
  check_choice(text, attention.top_k, ratio);
  const std::int64_t source = text.integer("candidate_source_layer_id", layer);
  if (attention.indexer && layer > source)
    attention.candidates = product_of(text, "candidate_topk_blocks", "candidate_block_size");
  return attention;
}

void set_experts(std::vector<LayerGroup>& layers, const ConfigValues& text) {
  set_mixture(layers, read_mixture_with_shared(text));
}

std::vector<LayerGroup> v4_layers(const ConfigValues& text, const ModelArchitecture&) {
  const CompressedLatent window = read_window(text);
  std::vector<LayerGroup> layers;
  for (const std::int64_t ratio : ratios_of(text))
    layers.push_back({.mixer = v4_attention(text, window, ratio)});
  set_experts(layers, text);
  return layers;
}

void add_lookups(std::vector<LayerGroup>& layers, const ConfigValues& text) {
  const std::vector<std::int64_t> where = text.integers("engram_layer_ids"),
                                  rows = text.integers("engram_num_embeddings");
  if (where.size() != rows.size())
    throw InvalidInput(
        fmt::format("{}: 'engram_num_embeddings' has {} entries, expected one for each of the {} "
                    "layers of 'engram_layer_ids'",
                    text.where(), rows.size(), where.size()));
  for (std::size_t i = 0; i < where.size(); ++i) {
    if (where[i] < 0 || where[i] >= std::ssize(layers))
      throw InvalidInput(fmt::format("{}: 'engram_layer_ids' holds {}, expected a layer from 0 to {}",
                                     text.where(), where[i], layers.size() - 1));
    layers[static_cast<std::size_t>(where[i])].lookup =
        NgramLookup{.rows = rows[i],
                    .max_ngram = text.needed("engram_max_ngram_size"),
                    .heads = text.needed("engram_n_heads"),
                    .head_dim = text.needed("engram_head_dim"),
                    .streams = std::max<std::int64_t>(1, text.integer("hc_mult", 1))};
  }
}

std::vector<LayerGroup> v41_layers(const ConfigValues& text, const ModelArchitecture&) {
  const CompressedLatent window = read_window(text);
  std::vector<LayerGroup> layers;
  for (const std::int64_t ratio : ratios_of(text))
    layers.push_back({.mixer = v41_attention(text, window, ratio, std::ssize(layers))});
  set_experts(layers, text);
  add_lookups(layers, text);
  return layers;
}

void read_facts(const ConfigValues& text, ModelArchitecture& model) {
  read_hyper_connections(text, model);
  const std::vector<std::int64_t> states = text.integers("dspark_target_layer_ids");
  if (states.empty()) return;
  model.block_drafter = {.states = std::ssize(states),
                         .block = text.needed("dspark_block_size"),
                         .markov_rank = text.needed("dspark_markov_rank"),
                         .experts = text.integer("dspark_n_routed_experts", 0),
                         .experts_per_token = text.integer("dspark_num_experts_per_tok", 0)};
}

constexpr std::array<std::string_view, 1> kV4Names{"DeepseekV4ForCausalLM"};
constexpr std::array<std::string_view, 1> kV41Names{"DeepseekV41ForCausalLM"};
constexpr std::array<std::string_view, 5> kReads{"index_topk", "compress_ratios", "hc_mult",
                                                 "kv_source_layer_ids", "engram_layer_ids"};

}  // namespace

extern constinit const HfFamily kDeepSeekV4Family{.architectures = kV4Names,
                                                  .layers = v4_layers,
                                                  .facts = read_facts,
                                                  .experts_module = "ffn.experts.0.w1",
                                                  .shared_experts_module = "ffn.shared_experts.w1",
                                                  .kv_cache = DataType::Fp8,
                                                  .reads_keys = kReads};
extern constinit const HfFamily kDeepSeekV41Family{.architectures = kV41Names,
                                                   .layers = v41_layers,
                                                   .facts = read_facts,
                                                   .experts_module = "ffn.experts.0.w1",
                                                   .shared_experts_module = "ffn.shared_experts.w1",
                                                   .kv_cache = DataType::Fp8,
                                                   .reads_keys = kReads};

}  // namespace warploom
