#include "warploom/models/layers/compressed_latent.h"

#include <fmt/format.h>

#include "warploom/models/layers/block_scheme.h"

namespace warploom {
namespace {

// An fp8 entry keeps its rotating part in 16 bits and 8 bytes of scales (vLLM's deepseek_v4/attention.py:
// 448 + 128 + 8 = 584; SGLang's deepseek_v4_memory_pool.py).
constexpr double kRotaryBytes = 2, kScaleBytes = 8;
// An index key in fp8 has a scale of 4 bytes, in fp4 one of 1 byte (get_dsv4_indexer_bytes_per_token).
constexpr double kFp8ScaleBytes = 4, kFp4ScaleBytes = 1;
// Keys and scores of waiting tokens, in fp32 (vLLM's compressor.py: CompressorStateCache).
constexpr double kStateBytes = 2 * 4;

}  // namespace

void CompressedLatent::check(std::string_view where) const {
  if (q_lora_rank < 1 || heads < 1 || head_dim < 1 || o_groups < 1 || o_lora_rank < 1 || window < 1)
    throw InvalidInput(
        fmt::format("{}: attention to a compressed cache needs positive q_lora_rank, heads, "
                    "head_dim, o_groups, o_lora_rank and window",
                    where));
  if (rope_head_dim > head_dim)
    throw InvalidInput(fmt::format("{}: the rotating part of a head has {} elements, expected at most its {}",
                                   where, rope_head_dim, head_dim));
  if (indexer && (top_k < 1 || index_heads < 1 || index_dim < 1))
    throw InvalidInput(
        fmt::format("{}: the indexer has {} heads of {} elements and chooses {}, expected all "
                    "positive",
                    where, index_heads, index_dim, top_k));
}

void CompressedLatent::check_split(const SplitCheck& check, std::int64_t ranks) const {
  check.divides("attention heads", heads, "`tensor_parallel_size`", ranks);
  check.divides("groups of the output projection", o_groups, "`tensor_parallel_size`", ranks);
}

void CompressedLatent::count(LayerParameters& layer, const LayerPlace& place) const {
  const std::int64_t ranks = place.sharding.tensor_parallel;
  const std::int64_t width = heads / ranks * head_dim, groups = o_groups / ranks;
  const std::int64_t joined = overlaps ? 2 : 1;
  layer.attention_input =
      element_count(place.hidden, q_lora_rank + head_dim) + element_count(q_lora_rank, width);
  layer.attention_output =
      element_count(width / groups, groups * o_lora_rank) + element_count(groups * o_lora_rank, place.hidden);
  layer.plain += static_cast<double>(q_lora_rank + head_dim + heads / ranks);
  // Keys, and scores where there is more than one token to weigh; a bias for each place.
  const auto compressor_of = [&](std::int64_t wide) {
    const std::int64_t products = compress_ratio > 1 ? 2 : 1;
    return element_count(place.hidden, products * joined * wide) +
           element_count(compress_ratio, joined * wide) + static_cast<double>(wide);
  };
  if (compresses()) layer.plain += compressor_of(head_dim);
  if (indexer) {
    layer.attention_input += element_count(q_lora_rank, index_heads, index_dim);
    layer.plain += element_count(place.hidden, index_heads);
  }
  if (index_keys)
    layer.plain += compresses_index ? compressor_of(index_dim) : element_count(head_dim + 1, index_dim);
}

double CompressedLatent::entry_bytes(DataType cache) const {
  const auto whole = static_cast<double>(head_dim), rotating = static_cast<double>(rope_head_dim);
  if (cache != DataType::Fp8) return whole * bytes_per_element(cache);
  return whole - rotating + rotating * kRotaryBytes + kScaleBytes;
}

double CompressedLatent::index_bytes() const {
  const auto key = static_cast<double>(index_dim);
  const bool wide = index_type == DataType::Fp8;
  return key * (wide ? 1.0 : 0.5) + key / index_scale_group * (wide ? kFp8ScaleBytes : kFp4ScaleBytes);
}

double CompressedLatent::state_bytes(std::int64_t width) const {
  const std::int64_t joined = overlaps ? 2 : 1;
  return element_count(joined * compress_ratio, joined * width) * kStateBytes;
}

LayerCache CompressedLatent::cache(const LayerPlace& place) const {
  LayerCache cache;
  const double entry = entry_bytes(place.kv_cache), ratio = static_cast<double>(compress_ratio);
  cache.bytes_per_request = static_cast<double>(window) * entry;
  if (compresses()) {
    cache.bytes_per_token = entry / ratio;
    if (compress_ratio > 1) cache.bytes_per_request += state_bytes(head_dim);
  }
  if (index_keys) {
    cache.bytes_per_token += index_bytes() / ratio;
    if (compresses_index && compress_ratio > 1) cache.bytes_per_request += state_bytes(index_dim);
  }
  return cache;
}

double CompressedLatent::widest_outputs(const LayerPlace& place) const {
  const std::int64_t ranks = place.sharding.tensor_parallel;
  return static_cast<double>(2 * heads / ranks * head_dim + q_lora_rank + o_groups / ranks * o_lora_rank +
                             (indexer ? index_heads * index_dim : 0));
}

void CompressedLatent::add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const {
  const std::int64_t ranks = layer.sharding.tensor_parallel;
  CompressedAttention op;
  op.projections = block_scheme(*this, layer);
  op.compute = layer.dtype;
  op.kv_cache = layer.kv_cache;
  op.decode = decode;
  op.compressor = compresses();
  op.indexer = indexer;
  op.hidden = layer.hidden;
  op.q_lora_rank = q_lora_rank;
  op.heads = heads / ranks;
  op.head_dim = head_dim;
  op.rope_head_dim = rope_head_dim;
  op.o_groups = o_groups / ranks;
  op.o_lora_rank = o_lora_rank;
  op.window = window;
  op.compress_ratio = compress_ratio;
  op.top_k = top_k;
  if (index_heads > 0) op.index_heads = index_heads;
  if (index_dim > 0) op.index_dim = index_dim;
  op.candidates = candidates;
  plan.add("compressed_attention", layer.count, op);
}

FieldTable CompressedLatent::describe() {
  using C = CompressedLatent;
  return FieldList<C>("compressed_latent")
      .add("q_lora_rank", &C::q_lora_rank, {.min = 1, .max = kMostHeadWidth})
      .add("heads", &C::heads, {.min = 1, .max = kMostHeadWidth})
      .add("head_dim", &C::head_dim, {.min = 1, .max = kMostHeadWidth})
      .add("rope_head_dim", &C::rope_head_dim, {.doc = "rotating part", .min = 0, .max = kMostHeadWidth})
      .add("o_groups", &C::o_groups, {.doc = "of the output projection", .min = 1, .max = kMostHeadWidth})
      .add("o_lora_rank", &C::o_lora_rank, {.min = 1, .max = kMostHeadWidth})
      .add("window", &C::window, {.doc = "last tokens that are seen whole", .min = 1, .max = 1e9})
      .add("compress_ratio", &C::compress_ratio,
           {.doc = "tokens of an entry, 0 = no entries", .min = 0, .max = 1e6})
      .add("compressor", &C::compressor, {.doc = "false: reads the entries of an earlier layer"})
      .add("overlaps", &C::overlaps, {.doc = "an entry is made of two groups of tokens"})
      .add("indexer", &C::indexer, {.doc = "chooses entries"})
      .add("index_keys", &C::index_keys, {.doc = "caches keys for indexers"})
      .add("compresses_index", &C::compresses_index, {.doc = "index keys have a compressor of their own"})
      .add("index_scale_group", &C::index_scale_group, {.min = 1, .max = 1e6})
      .add("index_type", &C::index_type, {.doc = "type of index keys"})
      .add("index_heads", &C::index_heads, {.min = 0, .max = kMostHeadWidth})
      .add("index_dim", &C::index_dim, {.min = 0, .max = kMostHeadWidth})
      .add("top_k", &C::top_k, {.doc = "entries that a query attends to, 0 = all", .min = 0, .max = 1e9})
      .add("candidates", &C::candidates,
           {.doc = "entries that are scored at most, 0 = all", .min = 0, .max = 1e9})
      .table();
}

}  // namespace warploom
