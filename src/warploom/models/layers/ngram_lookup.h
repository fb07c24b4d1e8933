// A part before a layer's mixer: rows of large tables, looked up by the last tokens and gated into the
// residual (DeepSeek-V4.1's Engram). Most layers have none.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "warploom/models/layers/layer_place.h"
#include "warploom/models/layers/layer_sizes.h"
#include "warploom/models/layers/split_check.h"
#include "warploom/models/scaled_operators.h"

namespace warploom {

struct NoLookup {
  static constexpr std::string_view kName = "no_lookup";
  bool operator==(const NoLookup&) const = default;

  void check(std::string_view) const {}
  void count(LayerParameters&, const LayerPlace&) const {}
  void add_operators(ScaledOperators&, const LaunchedLayer&) const {}
  static FieldTable describe() { return FieldList<NoLookup>(kName).table(); }
};

// A row for each n-gram of 2 to `max_ngram` tokens and each of `heads` hash functions. Tables are spread over
// the tensor-parallel ranks and kept in fp8 with a byte for 32 elements.
struct NgramLookup {
  std::int64_t rows = 0;  // of all tables of the layer
  std::int64_t max_ngram = 0, heads = 0, head_dim = 0;
  std::int64_t streams = 1;  // of the residual, each with a key of its own

  static constexpr std::string_view kName = "ngram_lookup";
  bool operator==(const NgramLookup&) const = default;

  void check(std::string_view where) const;
  void count(LayerParameters& layer, const LayerPlace& place) const;
  void add_operators(ScaledOperators& plan, const LaunchedLayer& layer) const;
  static FieldTable describe();
};

using Lookup = std::variant<NoLookup, NgramLookup>;

}  // namespace warploom
