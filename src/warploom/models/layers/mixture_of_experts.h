// A kind of feed-forward: experts of which each token takes a few, with or without some that all take.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/models/layers/layer_place.h"
#include "warploom/models/layers/layer_sizes.h"
#include "warploom/models/layers/split_check.h"
#include "warploom/models/scaled_operators.h"

namespace warploom {

struct MixtureOfExperts {
  std::int64_t experts = 0, top_k = 0;
  std::int64_t intermediate = 0;         // width of one routed expert
  std::int64_t shared_intermediate = 0;  // width of all shared experts together; 0 = none
  bool shared_gate = false;              // a learned gate scales the shared output (Qwen2-MoE kinds)
  bool gated = true;                     // gate and up projections, of shared experts too
  // Width that the routed experts work in, behind a product of its own and before another; 0 = the model's
  // (Nemotron-3-Super, Kimi-K3).
  std::int64_t latent = 0;
  bool latent_norm = false;  // what they yield is normalised in that width
  // Width of a dense MLP beside the experts; 0 = none. Both see the layer's input, each through norms of its
  // own, and are reduced apart (Gemma 4).
  std::int64_t mlp_intermediate = 0;
  std::int64_t groups = 1;  // of experts, of which tokens choose some first (DeepSeek-V3's n_group)

  static constexpr std::string_view kName = "mixture";
  bool operator==(const MixtureOfExperts&) const = default;

  void check(std::string_view where) const;
  void check_split(const SplitCheck& check, const Sharding& sharding) const;
  void count(LayerParameters& layer, const LayerPlace& place) const;
  double widest_outputs(const LayerPlace& place) const;
  std::int64_t reductions() const { return mlp_intermediate > 0 ? 2 : 1; }
  void add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const {}
  void add_operators(ScaledOperators& plan, const LaunchedLayer& layer) const;
  static FieldTable describe();

 private:
  double rows_of_token(const LayerPlace& place) const;
  void check_expert_split(const SplitCheck& check, const Sharding& sharding) const;
  std::int64_t expert_width(std::int64_t hidden) const { return latent > 0 ? latent : hidden; }
  void add_shared(ScaledOperators& plan, const LaunchedLayer& layer) const;
  void add_mlp_beside(ScaledOperators& plan, const LaunchedLayer& layer) const;
};

}  // namespace warploom
