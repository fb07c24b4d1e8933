// MiniMax-M3: grouped attention to chosen blocks of tokens behind a few full layers.
#include <fmt/format.h>

#include <array>

#include "warploom/models/hf/hf_family.h"
#include "warploom/models/hf/layer_readers.h"

namespace warploom {
namespace {

ConfigValues sparse_config(const ConfigValues& text) {
  const auto sparse = text.nested("sparse_attention_config");
  if (!sparse)
    throw InvalidInput(
        fmt::format("{}: 'sparse_attention_config' is missing, this architecture needs it", text.where()));
  return *sparse;
}

BlockSparse read_block_sparse(const ConfigValues& text, const Attention& attention) {
  const ConfigValues sparse = sparse_config(text);
  BlockSparse mixer;
  mixer.attention = attention;
  mixer.index_heads = sparse.needed("sparse_num_index_heads");
  mixer.index_dim = sparse.needed("sparse_index_dim");
  mixer.block = sparse.needed("sparse_block_size");
  mixer.top_blocks = sparse.needed("sparse_topk_blocks");
  const std::int64_t longest = text.integer("max_position_embeddings", 0);
  if (longest > 0 && mixer.top_blocks > longest / mixer.block)
    throw InvalidInput(
        fmt::format("{}: 'sparse_topk_blocks' is {}, expected at most the {} blocks of the longest "
                    "request ('max_position_embeddings' / {})",
                    sparse.where(), mixer.top_blocks, longest / mixer.block, mixer.block));
  return mixer;
}

// Lists of 0 and 1, one entry for each layer.
std::vector<std::int64_t> marks_of(const ConfigValues& config, std::string_view key, std::int64_t layers) {
  std::vector<std::int64_t> marks = config.integers(key);
  if (std::ssize(marks) != layers)
    throw InvalidInput(fmt::format("{}: '{}' has {} entries, expected one for each of {} layers",
                                   config.where(), key, marks.size(), layers));
  return marks;
}

std::vector<LayerGroup> minimax_m3_layers(const ConfigValues& text, const ModelArchitecture& model) {
  AttentionHabits habits;
  if (text.flag("use_qk_norm", true)) habits.qk_norm = QueryKeyNorm::PerHead;
  Attention full = read_attention(text, model, habits);
  full.output_gate = text.flag("attention_output_gate", false);
  const BlockSparse chosen = read_block_sparse(text, full);
  const std::int64_t count = layer_count_of(text);
  const std::vector<std::int64_t> sparse = marks_of(sparse_config(text), "sparse_attention_freq", count),
                                  experts = marks_of(text, "moe_layer_freq", count);
  std::vector<LayerGroup> layers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (sparse[i] != 0)
      layers[i].mixer = chosen;
    else
      layers[i].mixer = full;
  }
  set_feed_forward(
      layers, [&](std::int64_t i) { return experts[static_cast<std::size_t>(i)] != 0; },
      [&] { return DenseMlp{.intermediate = text.needed("dense_intermediate_size")}; },
      [&] {
        MixtureOfExperts mixture = read_mixture(
            text, text.has("moe_intermediate_size") ? "moe_intermediate_size" : "intermediate_size");
        mixture.shared_intermediate = product_of(text, "n_shared_experts", "shared_intermediate_size");
        return mixture;
      });
  return layers;
}

constexpr std::array<std::string_view, 3> kNames{"MiniMaxM3ForCausalLM", "MiniMaxM3SparseForCausalLM",
                                                 "MiniMaxM3SparseForConditionalGeneration"};
constexpr std::array<std::string_view, 1> kReads{"sparse_attention_config"};

}  // namespace

extern constinit const HfFamily kMiniMaxM3Family{
    .architectures = kNames,
    .layers = minimax_m3_layers,
    .experts_module = "block_sparse_moe.experts.0.w1",
    .shared_experts_module = "block_sparse_moe.shared_experts.down_proj",
    .reads_keys = kReads};

}  // namespace warploom
