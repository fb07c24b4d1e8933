#include "warploom/models/layers/block_sparse.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/models/layers/block_scheme.h"

namespace warploom {

void BlockSparse::check(std::string_view where) const {
  attention.check(where);
  if (index_heads < 1 || index_dim < 1 || block < 1 || top_blocks < 1)
    throw InvalidInput(
        fmt::format("{}: attention to blocks has {} index heads of {} elements and chooses {} "
                    "blocks of {} tokens, expected all positive",
                    where, index_heads, index_dim, top_blocks, block));
}

void BlockSparse::count(LayerParameters& layer, const LayerPlace& place) const {
  attention.count(layer, place);
  // Queries of the index heads, one key for all of them, and their norms.
  layer.attention_input +=
      element_count(place.hidden, (index_heads_on(place.sharding.tensor_parallel) + 1) * index_dim);
  layer.plain += 2.0 * static_cast<double>(index_dim);
}

LayerCache BlockSparse::cache(const LayerPlace& place) const {
  LayerCache cache = attention.cache(place);
  cache.bytes_per_token = static_cast<double>(index_dim) * bytes_per_element(place.dtype);
  return cache;
}

double BlockSparse::widest_outputs(const LayerPlace& place) const {
  return attention.widest_outputs(place) + static_cast<double>(index_heads * index_dim);
}

void BlockSparse::add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const {
  const std::int64_t ranks = layer.sharding.tensor_parallel;
  BlockSparseAttention op;
  op.projections = block_scheme(*this, layer);
  op.compute = layer.dtype;
  op.kv_cache = layer.kv_cache;
  op.decode = decode;
  op.hidden = layer.hidden;
  op.heads = attention.heads / ranks;
  op.kv_heads = std::max<std::int64_t>(1, attention.kv_heads / ranks);
  op.head_dim = attention.head_dim;
  op.index_heads = index_heads_on(ranks);
  op.index_dim = index_dim;
  op.block = block;
  op.top_blocks = top_blocks;
  plan.add("block_sparse_attention", layer.count, op);
}

FieldTable BlockSparse::describe() {
  using B = BlockSparse;
  return FieldList<B>("block_sparse")
      .add("attention", &B::attention, {.doc = "the attention to what is chosen"})
      .add("index_heads", &B::index_heads, {.min = 1, .max = kMostHeadWidth})
      .add("index_dim", &B::index_dim, {.min = 1, .max = kMostHeadWidth})
      .add("block", &B::block, {.doc = "tokens of a block", .min = 1, .max = 1e6})
      .add("top_blocks", &B::top_blocks, {.doc = "blocks that a query attends to", .min = 1, .max = 1e6})
      .table();
}

}  // namespace warploom
