// A kind of mixer: multi-head latent attention (DeepSeek-V2), whose keys and values are one narrow vector.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/models/layers/context_exchange.h"
#include "warploom/models/layers/layer_place.h"
#include "warploom/models/layers/layer_sizes.h"
#include "warploom/models/layers/split_check.h"
#include "warploom/models/scaled_operators.h"

namespace warploom {

// shape.heads is the layer's whole number of heads. q_lora_rank 0: queries are projected directly. The latent
// is whole on every rank.
struct LatentAttention {
  std::int64_t q_lora_rank = 0;
  MlaShape shape;
  bool output_gate = false;       // attention output times a gate with a product of its own (Kimi-K3)
  bool rotates = true;            // false: no positions, though the shape has a rotating part
  bool reads_embeddings = false;  // the first products read the token's embedding too (EAGLE-3)

  static constexpr std::string_view kName = "mla";
  bool operator==(const LatentAttention& other) const;

  void check(std::string_view where) const;
  void check_split(const SplitCheck& check, std::int64_t ranks) const;
  std::int64_t cache_copies(std::int64_t ranks) const { return ranks; }
  ContextSplit context_split() const { return {true, true}; }
  void count(LayerParameters& layer, const LayerPlace& place) const;
  LayerCache cache(const LayerPlace& place) const;
  double widest_outputs(const LayerPlace& place) const;
  // All-reduces of one layer under tensor parallelism.
  std::int64_t reductions() const { return 1; }
  bool reduces_norms() const { return false; }
  LayerModules modules() const { return {{"self_attn.kv_a_proj_with_mqa"}, "self_attn.o_proj"}; }
  bool add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const { return false; }

  void add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const;
  bool attends_like(const LatentAttention& other) const { return *this == other; }
  static constexpr bool kAttentionMultipliesWeights = true;  // kv_b_proj on what prompts have cached
  void add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const;
  static FieldTable describe();

 private:
  std::int64_t input_width(std::int64_t hidden) const { return (reads_embeddings ? 2 : 1) * hidden; }
  MlaShape on(std::int64_t ranks) const;  // with the heads of one GPU
};

}  // namespace warploom
