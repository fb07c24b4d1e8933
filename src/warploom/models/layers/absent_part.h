// Kinds of mixer and of feed-forward that are not there: layers of an architecture search (DeciLM) and blocks
// that are an MLP or attention alone. Their norm and their all-reduce are gone too.
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

struct NoMixer {
  static constexpr std::string_view kName = "no_mixer";
  bool operator==(const NoMixer&) const = default;

  void check(std::string_view) const {}
  void check_split(const SplitCheck&, std::int64_t) const {}
  std::int64_t cache_copies(std::int64_t ranks) const { return ranks; }
  ContextSplit context_split() const { return {true, true}; }
  void count(LayerParameters&, const LayerPlace&) const {}
  LayerCache cache(const LayerPlace&) const { return {}; }
  double widest_outputs(const LayerPlace&) const { return 0; }
  std::int64_t reductions() const { return 0; }
  bool reduces_norms() const { return false; }
  LayerModules modules() const { return {}; }
  bool add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const { return true; }
  void add_projections(ScaledOperators&, const LaunchedLayer&) const {}
  bool attends_like(const NoMixer&) const { return true; }
  static constexpr bool kAttentionMultipliesWeights = false;
  void add_attention(RequestOperators&, const LaunchedLayer&, bool) const {}
  static FieldTable describe() { return FieldList<NoMixer>(kName).table(); }
};

struct NoFeedForward {
  static constexpr std::string_view kName = "no_feed_forward";
  bool operator==(const NoFeedForward&) const = default;

  void check(std::string_view) const {}
  void check_split(const SplitCheck&, const Sharding&) const {}
  void count(LayerParameters&, const LayerPlace&) const {}
  double widest_outputs(const LayerPlace&) const { return 0; }
  std::int64_t reductions() const { return 0; }
  void add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const {}
  void add_operators(ScaledOperators&, const LaunchedLayer&) const {}
  static FieldTable describe() { return FieldList<NoFeedForward>(kName).table(); }
};

}  // namespace warploom
