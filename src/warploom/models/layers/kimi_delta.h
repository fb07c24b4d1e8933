// A kind of mixer: linear attention with a delta rule whose decay differs by channel (Kimi delta attention).
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

// Queries, keys and values have the same heads. The decay of each channel comes from a product through
// `head_dim` elements; the output's gate does too, unless it has a product of its own.
struct KimiDelta {
  std::int64_t heads = 0, head_dim = 0;
  std::int64_t convolution_width = 4;
  bool full_rank_gate = false;           // of the output (Kimi-K3)
  DataType state_type = DataType::Fp32;  // of the recurrent state; the convolutions' is the model's

  static constexpr std::string_view kName = "kimi_delta";
  bool operator==(const KimiDelta&) const = default;

  void check(std::string_view) const {}
  void check_split(const SplitCheck& check, std::int64_t ranks) const;
  std::int64_t cache_copies(std::int64_t ranks) const { return ranks; }
  ContextSplit context_split() const { return {true, false, kRecurrentStates}; }
  void count(LayerParameters& layer, const LayerPlace& place) const;
  LayerCache cache(const LayerPlace& place) const;
  double widest_outputs(const LayerPlace& place) const;
  // All-reduces of one layer under tensor parallelism.
  std::int64_t reductions() const { return 1; }
  bool reduces_norms() const { return false; }
  LayerModules modules() const;
  bool add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const { return false; }

  void add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const;
  bool attends_like(const KimiDelta& other) const { return *this == other; }
  static constexpr bool kAttentionMultipliesWeights = false;
  void add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const;
  static FieldTable describe();

 private:
  std::int64_t width_on(std::int64_t ranks) const { return heads / ranks * head_dim; }
  std::int64_t products() const { return full_rank_gate ? 4 : 3; }         // as wide as all heads
  std::int64_t narrow_products() const { return full_rank_gate ? 1 : 2; }  // through head_dim elements
};

}  // namespace warploom
