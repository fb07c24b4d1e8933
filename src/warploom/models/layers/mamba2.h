// A kind of mixer: a Mamba-2 state space (Nemotron-H), which keeps one state a request.
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

struct Mamba2 {
  std::int64_t heads = 0, head_dim = 0;
  std::int64_t groups = 0, state = 0;  // heads of a group share two vectors of `state` elements for a token
  std::int64_t convolution_width = 4;
  DataType state_type = DataType::Fp32;  // of the recurrent state; the convolution's is the model's

  static constexpr std::string_view kName = "mamba2";
  bool operator==(const Mamba2&) const = default;

  void check(std::string_view where) const;
  void check_split(const SplitCheck& check, std::int64_t ranks) const;
  std::int64_t cache_copies(std::int64_t ranks) const { return ranks; }
  ContextSplit context_split() const { return {true, false, kRecurrentStates}; }
  void count(LayerParameters& layer, const LayerPlace& place) const;
  LayerCache cache(const LayerPlace& place) const;
  double widest_outputs(const LayerPlace& place) const;
  // All-reduces of one layer under tensor parallelism.
  std::int64_t reductions() const { return 1; }
  bool reduces_norms() const { return false; }
  LayerModules modules() const { return {{"mixer.in_proj"}, "mixer.out_proj"}; }
  bool add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const { return false; }

  void add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const;
  bool attends_like(const Mamba2& other) const { return *this == other; }
  static constexpr bool kAttentionMultipliesWeights = false;
  void add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const;
  static FieldTable describe();

 private:
  Mamba2 on(std::int64_t ranks) const;                        // with the heads of one GPU
  std::int64_t inner() const { return heads * head_dim; }     // width of what the state yields
  std::int64_t shared() const { return 2 * groups * state; }  // of both vectors of all groups
};

}  // namespace warploom
