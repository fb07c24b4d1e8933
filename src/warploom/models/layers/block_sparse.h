// A kind of mixer: grouped attention to the blocks of tokens that an indexer chooses (MiniMax-M3).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/models/layers/attention.h"
#include "warploom/models/layers/layer_place.h"
#include "warploom/models/layers/layer_sizes.h"
#include "warploom/models/layers/split_check.h"
#include "warploom/models/request_operators.h"
#include "warploom/models/scaled_operators.h"

namespace warploom {

// attention.reach is Full. The indexer caches one key of its own for each token.
struct BlockSparse {
  Attention attention;
  std::int64_t index_heads = 0, index_dim = 0;
  std::int64_t block = 0;       // tokens
  std::int64_t top_blocks = 0;  // that a query attends to

  static constexpr std::string_view kName = "block_sparse";
  bool operator==(const BlockSparse&) const = default;

  void check(std::string_view where) const;
  void check_split(const SplitCheck& check, std::int64_t ranks) const { attention.check_split(check, ranks); }
  std::int64_t cache_copies(std::int64_t ranks) const { return attention.cache_copies(ranks); }
  ContextSplit context_split() const { return {false, false, "block-sparse attention"}; }
  void count(LayerParameters& layer, const LayerPlace& place) const;
  LayerCache cache(const LayerPlace& place) const;
  double widest_outputs(const LayerPlace& place) const;
  // All-reduces of one layer under tensor parallelism.
  std::int64_t reductions() const { return 1; }
  bool reduces_norms() const { return false; }
  LayerModules modules() const { return attention.modules(); }
  bool add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const { return false; }

  // Nothing: the operator of add_attention is a whole block with its projections.
  void add_projections(ScaledOperators&, const LaunchedLayer&) const {}
  bool attends_like(const BlockSparse& other) const { return *this == other; }
  static constexpr bool kAttentionMultipliesWeights = true;
  void add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const;
  static FieldTable describe();

 private:
  std::int64_t index_heads_on(std::int64_t ranks) const {
    return index_heads > ranks ? index_heads / ranks : 1;
  }
};

}  // namespace warploom
