// A kind of mixer: linear attention with a gated delta rule (Qwen3-Next), which keeps one state a request.
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

struct GatedDeltaNet {
  std::int64_t key_heads = 0, key_dim = 0, value_heads = 0, value_dim = 0;
  std::int64_t convolution_width = 4;
  DataType state_type = DataType::Bf16;  // of the recurrent state; the convolution's is the model's

  static constexpr std::string_view kName = "linear";
  bool operator==(const GatedDeltaNet&) const = default;

  void check(std::string_view) const {}
  void check_split(const SplitCheck& check, std::int64_t ranks) const;
  std::int64_t cache_copies(std::int64_t ranks) const { return ranks; }
  ContextSplit context_split() const { return {true, false, kRecurrentStates}; }
  void count(LayerParameters& layer, const LayerPlace& place) const;
  LayerCache cache(const LayerPlace& place) const;
  double widest_outputs(const LayerPlace&) const { return 0; }  // its full layers' are wider
  // All-reduces of one layer under tensor parallelism.
  std::int64_t reductions() const { return 1; }
  bool reduces_norms() const { return false; }
  LayerModules modules() const { return {{"linear_attn.in_proj_qkv"}, "linear_attn.out_proj"}; }
  bool add_adapters(std::vector<AdaptedProduct>&, const LayerPlace&) const { return false; }

  void add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const;
  bool attends_like(const GatedDeltaNet& other) const { return *this == other; }
  static constexpr bool kAttentionMultipliesWeights = false;
  void add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const;
  static FieldTable describe();

 private:
  GatedDeltaNet on(std::int64_t ranks) const;  // with the heads of one GPU
};

}  // namespace warploom
