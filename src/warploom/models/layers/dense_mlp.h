// A kind of feed-forward: one MLP for every token.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/models/layers/layer_place.h"
#include "warploom/models/layers/layer_sizes.h"
#include "warploom/models/layers/split_check.h"
#include "warploom/models/scaled_operators.h"

namespace warploom {

struct DenseMlp {
  std::int64_t intermediate = 0;
  bool gated = true;  // gate and up projections

  static constexpr std::string_view kName = "mlp";
  bool operator==(const DenseMlp&) const = default;

  void check(std::string_view where) const;
  void check_split(const SplitCheck& check, const Sharding& sharding) const;
  void count(LayerParameters& layer, const LayerPlace& place) const;
  double widest_outputs(const LayerPlace& place) const;
  // All-reduces of one layer under tensor parallelism.
  std::int64_t reductions() const { return 1; }
  // Appends what adapters may add to; a feed-forward without such products has none.
  void add_adapters(std::vector<AdaptedProduct>& products, const LayerPlace& place) const;
  void add_operators(ScaledOperators& plan, const LaunchedLayer& layer) const;
  static FieldTable describe();
};

}  // namespace warploom
