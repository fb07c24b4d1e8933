#include "warploom/models/layers/ngram_lookup.h"

#include <fmt/format.h>

namespace warploom {

void NgramLookup::check(std::string_view where) const {
  if (rows < 1 || max_ngram < 2 || heads < 1 || head_dim < 1 || streams < 1)
    throw InvalidInput(
        fmt::format("{}: look-ups of n-grams of up to {} tokens in {} rows with {} hash functions "
                    "of {} elements, expected at least 2 tokens and all others positive",
                    where, max_ngram, rows, heads, head_dim));
}

void NgramLookup::count(LayerParameters& layer, const LayerPlace& place) const {
  const std::int64_t looked_up = (max_ngram - 1) * heads * head_dim;
  layer.tables = element_count(rows, head_dim) / static_cast<double>(place.sharding.tensor_parallel);
  layer.attention_input += element_count(looked_up, place.hidden, streams + 1);
  layer.plain += 2 * element_count(streams, place.hidden);
}

void NgramLookup::add_operators(ScaledOperators& plan, const LaunchedLayer& layer) const {
  Engram op;
  op.projections = layer.schemes.attention_input;
  op.table = DataType::Fp8;
  op.hidden = layer.hidden;
  op.streams = streams;
  op.max_ngram = max_ngram;
  op.heads = heads;
  op.head_dim = head_dim;
  op.table_rows = rows;
  op.gpus = layer.sharding.tensor_parallel;
  plan.add("ngram_lookup", layer.count, op);
}

FieldTable NgramLookup::describe() {
  using N = NgramLookup;
  return FieldList<N>("ngram_lookup")
      .add("rows", &N::rows, {.doc = "of all tables of the layer", .min = 1, .max = 1e12})
      .add("max_ngram", &N::max_ngram, {.doc = "tokens of the longest n-gram", .min = 2, .max = 64})
      .add("heads", &N::heads, {.doc = "hash functions", .min = 1, .max = 1024})
      .add("head_dim", &N::head_dim, {.doc = "elements of a row", .min = 1, .max = kMostHeadWidth})
      .add("streams", &N::streams, {.doc = "of the residual", .min = 1, .max = 64})
      .table();
}

}  // namespace warploom
