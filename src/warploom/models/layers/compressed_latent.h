// A kind of mixer: attention of all heads to one key, over a window and a compressed cache (DeepSeek-V4,
// V4.1).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/models/layers/layer_place.h"
#include "warploom/models/layers/layer_sizes.h"
#include "warploom/models/layers/split_check.h"
#include "warploom/models/request_operators.h"
#include "warploom/models/scaled_operators.h"

namespace warploom {

// Keys serve as values. A compressor joins `compress_ratio` tokens to one cached entry, of two such groups
// where they overlap; a layer without one reads the entries of an earlier layer. An indexer chooses `top_k`
// entries; without it a query attends to all entries (top_k 0), or to those that an earlier layer chose.
struct CompressedLatent {
  std::int64_t q_lora_rank = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0, rope_head_dim = 0;  // the rotating part is within head_dim
  std::int64_t o_groups = 1, o_lora_rank = 0;
  std::int64_t window = 0;
  std::int64_t compress_ratio = 0;  // 0: the window alone
  bool compressor = true;
  bool overlaps = false;
  bool indexer = false;
  bool index_keys = false;         // the layer caches keys of its own for the indexer
  bool compresses_index = true;    // those come from a compressor of their own; false: from the entries
  double index_scale_group = 128;  // elements of an index key sharing a scale
  DataType index_type = DataType::Fp8;
  std::int64_t index_heads = 0, index_dim = 0;
  std::int64_t top_k = 0;
  std::int64_t candidates = 0;  // entries that the indexer scores at most; 0: all

  static constexpr std::string_view kName = "compressed";
  bool operator==(const CompressedLatent&) const = default;

  void check(std::string_view where) const;
  void check_split(const SplitCheck& check, std::int64_t ranks) const;
  std::int64_t cache_copies(std::int64_t ranks) const { return ranks; }
  ContextSplit context_split() const { return {false, false, "a compressed cache beside a window"}; }
  void count(LayerParameters& layer, const LayerPlace& place) const;
  LayerCache cache(const LayerPlace& place) const;
  double widest_outputs(const LayerPlace& place) const;
  // All-reduces of one layer under tensor parallelism.
  std::int64_t reductions() const { return 1; }
  bool reduces_norms() const { return false; }
  LayerModules modules() const { return {{"attn.wq_a", "attn.wkv"}, "attn.wo_b"}; }
  bool add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const { return false; }

  // Nothing: the operator of add_attention is a whole block with its projections.
  void add_projections(ScaledOperators&, const LaunchedLayer&) const {}
  bool attends_like(const CompressedLatent& other) const { return *this == other; }
  static constexpr bool kAttentionMultipliesWeights = true;
  void add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const;
  static FieldTable describe();

 private:
  bool compresses() const { return compressor && compress_ratio > 0; }
  double entry_bytes(DataType cache) const;      // of one token or one entry
  double index_bytes() const;                    // of one index key with its scales
  double state_bytes(std::int64_t width) const;  // of the tokens that wait to be compressed
};

}  // namespace warploom
