#include "warploom/models/hf/mixer_readers.h"

#include <fmt/format.h>

#include <algorithm>

namespace warploom {

DataType state_type_of(const ConfigValues& text, std::string_view key, DataType usual) {
  const std::string name = text.text(key, "auto");
  if (name == "auto") return usual;
  if (name == "float32") return DataType::Fp32;
  if (name == "bfloat16") return DataType::Bf16;
  if (name == "float16") return DataType::Fp16;
  throw Unsupported(
      fmt::format("{}: '{}' is '{}', supported: float32, bfloat16, float16, auto", text.where(), key, name));
}

GatedDeltaNet read_gated_delta_net(const ConfigValues& text, const ModelArchitecture& model) {
  GatedDeltaNet linear;
  linear.key_heads = text.needed("linear_num_key_heads");
  linear.value_heads = text.needed("linear_num_value_heads");
  linear.key_dim = text.needed("linear_key_head_dim");
  linear.value_dim = text.needed("linear_value_head_dim");
  linear.convolution_width = text.needed("linear_conv_kernel_dim");
  linear.state_type = state_type_of(text, "mamba_ssm_dtype", model.dtype);
  return linear;
}

KimiDelta read_kimi_delta(const ConfigValues& text) {
  const auto linear = text.nested("linear_attn_config");
  if (!linear)
    throw InvalidInput(
        fmt::format("{}: 'linear_attn_config' is missing, this architecture needs it", text.where()));
  KimiDelta delta;
  delta.heads = linear->needed("num_heads");
  delta.head_dim = linear->needed("head_dim");
  delta.convolution_width = linear->needed("short_conv_kernel_size");
  delta.full_rank_gate = linear->flag("use_full_rank_gate", false);
  return delta;
}

LatentAttention read_latent_attention(const ConfigValues& text) {
  LatentAttention latent;
  latent.q_lora_rank = text.integer("q_lora_rank", 0);
  latent.shape.heads = text.needed("num_attention_heads");
  latent.shape.kv_lora_rank = text.needed("kv_lora_rank");
  latent.shape.rope_head_dim = text.integer("qk_rope_head_dim", 0);
  latent.shape.nope_head_dim = text.needed("qk_nope_head_dim");
  latent.shape.value_head_dim = text.needed("v_head_dim");
  if (latent.shape.rope_head_dim == 0 && !text.flag("mla_use_nope", false)) text.needed("qk_rope_head_dim");
  return latent;
}

SparseLatentAttention read_sparse_latent_attention(const ConfigValues& text) {
  SparseLatentAttention sparse;
  sparse.latent = read_latent_attention(text);
  sparse.latent.rotates = !text.flag("mla_use_nope", false);
  sparse.index_heads = text.needed("index_n_heads");
  sparse.index_dim = text.needed("index_head_dim");
  sparse.top_k = text.needed("index_topk");
  sparse.pooled = std::max<std::int64_t>(1, text.integer("index_kpool", 1));
  const std::int64_t longest = text.integer("max_position_embeddings", sparse.top_k);
  if (sparse.top_k > longest)
    throw InvalidInput(
        fmt::format("{}: 'index_topk' is {}, expected at most the {} tokens of the longest "
                    "request ('max_position_embeddings')",
                    text.where(), sparse.top_k, longest));
  return sparse;
}

void read_hyper_connections(const ConfigValues& text, ModelArchitecture& model) {
  model.residual.streams = std::max<std::int64_t>(1, text.integer("hc_mult", 1));
  if (model.residual.streams > 1) model.residual.sinkhorn_iterations = text.needed("hc_sinkhorn_iters");
}

std::vector<bool> indexers_of(const ConfigValues& text) {
  const std::int64_t count = layer_count_of(text);
  std::vector<bool> indexers(static_cast<std::size_t>(count), true);
  const std::vector<std::string> types = text.texts("indexer_types");
  const std::string pattern = text.text("index_topk_pattern");
  const std::int64_t frequency = std::max<std::int64_t>(1, text.integer("index_topk_freq", 1));
  const std::int64_t offset = text.integer("index_skip_topk_offset", 1);
  if ((!types.empty() && std::ssize(types) != count) || (!pattern.empty() && std::ssize(pattern) < count))
    throw InvalidInput(fmt::format("{}: '{}' has {} entries, expected one for each of {} layers",
                                   text.where(), types.empty() ? "index_topk_pattern" : "indexer_types",
                                   types.empty() ? pattern.size() : types.size(), count));
  for (std::size_t i = 0; i < indexers.size(); ++i) {
    const std::int64_t behind = std::max<std::int64_t>(0, static_cast<std::int64_t>(i) - offset + 1);
    if (!types.empty() && types[i] != "full" && types[i] != "shared")
      throw Unsupported(
          fmt::format("{}: 'indexer_types' holds '{}', expected full or shared", text.where(), types[i]));
    indexers[i] = !types.empty()     ? types[i] == "full"
                  : !pattern.empty() ? pattern[i] != 'S'
                                     : behind % frequency == 0;
  }
  return indexers;
}

}  // namespace warploom
