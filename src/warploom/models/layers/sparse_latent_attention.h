// A kind of mixer: latent attention to the tokens that an indexer chooses (DeepSeek sparse attention).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/models/layers/latent_attention.h"
#include "warploom/models/layers/layer_place.h"
#include "warploom/models/layers/layer_sizes.h"
#include "warploom/models/layers/split_check.h"
#include "warploom/models/request_operators.h"
#include "warploom/models/scaled_operators.h"

namespace warploom {

// The indexer caches a key of its own for each token, or for `pooled` tokens together (GLM-5.3-Flash). A
// layer without one takes over what an earlier layer chose. latent.q_lora_rank is positive.
struct SparseLatentAttention {
  LatentAttention latent;
  bool indexer = true;
  std::int64_t index_heads = 0, index_dim = 0;
  std::int64_t top_k = 0;
  std::int64_t pooled = 1;

  static constexpr std::string_view kName = "sparse_mla";
  bool operator==(const SparseLatentAttention&) const = default;

  void check(std::string_view where) const;
  void check_split(const SplitCheck& check, std::int64_t ranks) const { latent.check_split(check, ranks); }
  std::int64_t cache_copies(std::int64_t ranks) const { return ranks; }
  ContextSplit context_split() const { return {true, true}; }
  void count(LayerParameters& layer, const LayerPlace& place) const;
  LayerCache cache(const LayerPlace& place) const;
  double widest_outputs(const LayerPlace& place) const;
  // All-reduces of one layer under tensor parallelism.
  std::int64_t reductions() const { return 1; }
  bool reduces_norms() const { return false; }
  LayerModules modules() const { return latent.modules(); }
  bool add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const { return false; }

  // Nothing: the operator of add_attention is a whole block with its projections. Where ranks share out what
  // is cached, each attends with the heads of all to its part of the chosen tokens: as much work as with its
  // own heads to all of them, which is what the block is priced as, over the index keys of its part.
  void add_projections(ScaledOperators&, const LaunchedLayer&) const {}
  bool attends_like(const SparseLatentAttention& other) const { return *this == other; }
  static constexpr bool kAttentionMultipliesWeights = true;
  void add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const;
  static FieldTable describe();
};

}  // namespace warploom
