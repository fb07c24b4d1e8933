#include "warploom/models/layers/sparse_latent_attention.h"

#include <fmt/format.h>

#include "warploom/models/layers/block_scheme.h"
#include "warploom/models/layers/context_exchange.h"

namespace warploom {
namespace {

// An fp8 latent keeps a scale for 128 elements, in 32 bits, and its rotating part in 16 bits (fp8_ds_mla in
// vLLM's deepseek_v32/attention.py, SGLang's quantize_k_cache.py).
constexpr double kLatentScaleGroup = 128, kScaleBytes = 4, kRotaryBytes = 2;
// Index keys are fp8 with a scale for 128 elements, whatever the cache's type.
constexpr double kIndexScaleGroup = 128;

}  // namespace

void SparseLatentAttention::check(std::string_view where) const {
  latent.check(where);
  if (latent.q_lora_rank < 1)
    throw InvalidInput(fmt::format("{}: sparse attention needs a positive q_lora_rank", where));
  if (top_k < 1 || index_heads < 1 || index_dim < 1 || pooled < 1)
    throw InvalidInput(
        fmt::format("{}: the indexer has {} heads of {} elements and chooses {} of keys pooled "
                    "by {}, expected all positive",
                    where, index_heads, index_dim, top_k, pooled));
}

void SparseLatentAttention::count(LayerParameters& layer, const LayerPlace& place) const {
  latent.count(layer, place);
  if (!indexer) return;
  layer.attention_input +=
      element_count(latent.q_lora_rank, index_heads, index_dim) + element_count(place.hidden, index_dim);
  layer.plain += element_count(place.hidden, index_heads) + 2.0 * static_cast<double>(index_dim);
  // A gate and a bias for each position of pooled keys.
  if (pooled > 1) layer.plain += element_count(place.hidden, index_dim) + element_count(pooled, index_dim);
}

LayerCache SparseLatentAttention::cache(const LayerPlace& place) const {
  const MlaShape& shape = latent.shape;
  LayerCache cache;
  if (place.kv_cache == DataType::Fp8) {
    const auto rank = static_cast<double>(shape.kv_lora_rank);
    cache.bytes_per_token = rank + rank / kLatentScaleGroup * kScaleBytes +
                            static_cast<double>(shape.rope_head_dim) * kRotaryBytes;
  } else {
    cache.per_token = static_cast<double>(shape.kv_lora_rank + shape.rope_head_dim);
  }
  const auto key = static_cast<double>(index_dim);
  if (indexer)
    cache.bytes_per_token += (key + key / kIndexScaleGroup * kScaleBytes) / static_cast<double>(pooled);
  return cache;
}

double SparseLatentAttention::widest_outputs(const LayerPlace& place) const {
  return latent.widest_outputs(place) + static_cast<double>(indexer ? index_heads * index_dim : 0);
}

void SparseLatentAttention::add_attention(RequestOperators& plan, const LaunchedLayer& layer,
                                          bool decode) const {
  Dsa op;
  op.projections = block_scheme(*this, layer);
  op.compute = layer.dtype;
  op.kv_cache = layer.kv_cache;
  op.decode = decode;
  op.indexer = indexer;
  op.hidden = layer.hidden;
  op.q_lora_rank = latent.q_lora_rank;
  op.shape = latent.shape;
  op.shape.heads = latent.shape.heads / layer.sharding.tensor_parallel;
  op.index_heads = index_heads;
  op.index_dim = index_dim;
  op.top_k = top_k;
  op.index_pool = pooled;
  const Sharding& sharding = layer.sharding;
  plan.add(indexer ? "sparse_attention" : "sparse_attention_reuse", layer.count, op,
           {.context_ranks = sharding.decode_context_parallel,
            .query_ranks = decode ? 1 : sharding.prefill_context_parallel,
            .request_ranks = decode ? sharding.prefill_context_parallel : 1});
  const auto cached = static_cast<double>(latent.shape.kv_lora_rank + latent.shape.rope_head_dim);
  add_context_exchange(plan, layer,
                       {.heads = op.shape.heads,
                        .query = cached,
                        .output = static_cast<double>(latent.shape.kv_lora_rank),
                        .keys_and_values = cached + static_cast<double>(indexer ? index_dim / pooled : 0),
                        .chosen = indexer ? top_k : 0},
                       decode);
}

FieldTable SparseLatentAttention::describe() {
  using S = SparseLatentAttention;
  return FieldList<S>("sparse_latent_attention")
      .add("latent", &S::latent, {.doc = "the attention to what is chosen"})
      .add("indexer", &S::indexer, {.doc = "false: takes over what an earlier layer chose"})
      .add("index_heads", &S::index_heads, {.min = 1, .max = kMostHeadWidth})
      .add("index_dim", &S::index_dim, {.min = 1, .max = kMostHeadWidth})
      .add("top_k", &S::top_k, {.doc = "tokens that a query attends to", .min = 1, .max = 1e9})
      .add("pooled", &S::pooled, {.doc = "tokens of an index key", .min = 1, .max = 1024})
      .table();
}

}  // namespace warploom
