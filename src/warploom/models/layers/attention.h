// A kind of mixer: attention with keys and values of its own, one or several queries to each.
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

// How the tokens of one layer see each other. Chunked: a token sees its own aligned chunk only (Llama 4).
enum class AttentionReach { Full, SlidingWindow, Chunked };
template <>
struct EnumNames<AttentionReach> {
  static constexpr std::array<std::pair<AttentionReach, std::string_view>, 3> kNames{
      {{AttentionReach::Full, "full"},
       {AttentionReach::SlidingWindow, "sliding_window"},
       {AttentionReach::Chunked, "chunked"}}};
};

// Normalisation of queries and keys before attention. PerHead: each head alone (Qwen3); FullWidth: all heads
// of a token together, which tensor parallelism must reduce over (MiniMax-M2).
enum class QueryKeyNorm { None, PerHead, FullWidth };
template <>
struct EnumNames<QueryKeyNorm> {
  static constexpr std::array<std::pair<QueryKeyNorm, std::string_view>, 3> kNames{
      {{QueryKeyNorm::None, "none"},
       {QueryKeyNorm::PerHead, "per_head"},
       {QueryKeyNorm::FullWidth, "full_width"}}};
};

// Heads are those of the whole layer; tensor parallelism splits them and replicates KV heads beyond their
// number.
struct Attention {
  AttentionReach reach = AttentionReach::Full;
  std::int64_t window = 0;  // tokens that a SlidingWindow layer sees, or the chunk of a Chunked one
  std::int64_t heads = 0, kv_heads = 0;
  std::int64_t head_dim = 0;        // of queries and keys
  std::int64_t value_head_dim = 0;  // of values and outputs
  std::int64_t rotary_dim = 0;      // elements of a head that rotate; 0: no positions
  QueryKeyNorm qk_norm = QueryKeyNorm::None;
  bool qk_norm_weights = true;  // false: normalised without learned scales (Llama 4)
  bool value_norm = false;      // values are normalised too, without learned scales (Gemma 4)
  bool qkv_bias = false;
  bool output_gate = false;       // attention output times a gate projected with the queries (Qwen3-Next)
  bool head_gate = false;         // the output of each head times one number (Step-3.5)
  bool keys_are_values = false;   // one projection serves both; engines keep it twice (Gemma 4)
  bool scales_values = false;     // values times a constant (MiMo-V2)
  bool sinks = false;             // a learned logit for each head joins the softmax
  bool reads_embeddings = false;  // q, k and v read the token's embedding beside the hidden state (EAGLE-3)

  static constexpr std::string_view kName = "attention";
  bool operator==(const Attention&) const = default;
  bool windowed() const { return reach != AttentionReach::Full; }

  void check(std::string_view where) const;
  void check_split(const SplitCheck& check, std::int64_t ranks) const;
  // GPUs among `ranks` that would cache the same heads.
  std::int64_t cache_copies(std::int64_t ranks) const { return ranks > kv_heads ? ranks / kv_heads : 1; }
  ContextSplit context_split() const {
    return {!windowed(), false,
            windowed() ? "attention to a window or chunk" : "attention that is not latent"};
  }
  void count(LayerParameters& layer, const LayerPlace& place) const;
  LayerCache cache(const LayerPlace& place) const;
  double widest_outputs(const LayerPlace& place) const;
  // All-reduces of one layer under tensor parallelism.
  std::int64_t reductions() const { return 1; }
  bool reduces_norms() const { return qk_norm == QueryKeyNorm::FullWidth; }
  LayerModules modules() const;
  // False where adapters are not modelled.
  bool add_adapters(std::vector<AdaptedProduct>& products, const LayerPlace& place) const;

  void add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const;
  // Whether the operators of add_attention are the same.
  bool attends_like(const Attention& other) const;
  static constexpr bool kAttentionMultipliesWeights = false;
  void add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const;
  static FieldTable describe();

 private:
  std::int64_t input_width(std::int64_t hidden) const { return (reads_embeddings ? 2 : 1) * hidden; }
  Attention on(std::int64_t ranks) const;  // with the heads of one GPU
  // The size that stands for keys and values alike where an operator has one: FLOP and bytes are linear in
  // their sum.
  std::int64_t mean_head_dim() const { return (head_dim + value_head_dim) / 2; }
  void add_norms(ScaledOperators& plan, const LaunchedLayer& layer) const;
};

}  // namespace warploom
