#include "warploom/predictor/model/nearest_kind.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "warploom/base/any_of.h"
#include "warploom/base/error.h"
#include "warploom/kernels/precision_support.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

// Octaves that operands of one width but another type count (fp8 and int8), and a pass that quantises.
constexpr double kOtherType = 0.5;

// The width of an element, without its share of the scales.
double width(DataType type) { return std::round(std::log2(bytes_per_element(type))); }

double octaves(DataType a, DataType b) {
  const double between = std::abs(width(a) - width(b));
  return between > 0 ? between : a != b ? kOtherType : 0.0;
}

DataType half_as_one(DataType type) { return type == DataType::Fp16 ? DataType::Bf16 : type; }

// Types of operands as the matrix unit gets them.
struct Arithmetic {
  DataType weights, activations;
  bool widened = false;  // weights of any type of their width, to 16 bits
};

Arithmetic arithmetic_of(MatmulScheme scheme) {
  const DataType weights = half_as_one(weight_type(scheme));
  const DataType activations = half_as_one(activation_type(scheme));
  return {weights, activations, width(weights) < width(DataType::Bf16) && activations == DataType::Bf16};
}

Arithmetic arithmetic_on(MatmulScheme scheme, const GpuSpec& gpu) {
  if (matrix_unit(scheme, gpu).weight_only) return {weight_type(scheme), DataType::Bf16, true};
  return arithmetic_of(scheme);
}

double distance(const Arithmetic& a, const Arithmetic& b) {
  const double of_weights =
      a.widened && b.widened ? std::abs(width(a.weights) - width(b.weights)) : octaves(a.weights, b.weights);
  return of_weights + octaves(a.activations, b.activations);
}

bool has_block_scales(MatmulScheme scheme) { return scheme == MatmulScheme::Fp8Block; }

// All but the own.
void sort_by_nearness(NearKinds& near) {
  std::stable_sort(near.kinds.begin() + 1, near.kinds.begin() + std::ptrdiff_t(near.count),
                   [](const NearKind& a, const NearKind& b) {
                     return a.distance != b.distance ? a.distance < b.distance
                                                     : int(a.other_scales) < int(b.other_scales);
                   });
}

// `with` gives an operator of a scheme, as far as its kind goes.
template <class With>
NearKinds near_schemes(MatmulScheme own, const GpuSpec& gpu, With with) {
  const Arithmetic here = arithmetic_on(own, gpu);
  NearKinds near;
  const auto add = [&](MatmulScheme scheme) {
    near.kinds[near.count++] = {kind_code(with(scheme)), distance(here, arithmetic_of(scheme)),
                                has_block_scales(scheme) != has_block_scales(own), scheme};
  };
  add(own);
  for (const auto& [scheme, name] : EnumNames<MatmulScheme>::kNames)
    if (scheme != own && scheme != MatmulScheme::Fp16) add(scheme);
  sort_by_nearness(near);
  return near;
}

// Kernels of attention by the types of products and cache.
template <class Attention>
NearKinds near_caches(const Attention& own) {
  NearKinds near;
  const auto add = [&](DataType compute, DataType cache) {
    Attention other;
    if constexpr (requires { other.causal; }) other.causal = own.causal;
    other.compute = compute;
    other.kv_cache = cache;
    near.kinds[near.count++] = {
        kind_code(other),
        octaves(half_as_one(own.compute), compute) + octaves(half_as_one(own.kv_cache), cache),
        false,
        {}};
  };
  add(half_as_one(own.compute), half_as_one(own.kv_cache));
  for (const DataType compute : {DataType::Bf16, DataType::Fp8})
    for (const DataType cache : {DataType::Bf16, DataType::Fp8})
      if (compute != half_as_one(own.compute) || cache != half_as_one(own.kv_cache)) add(compute, cache);
  sort_by_nearness(near);
  return near;
}

}  // namespace

NearKinds near_kinds(const Operator& op, const GpuSpec& gpu) {
  return std::visit(
      [&](const auto& own) -> NearKinds {
        using T = std::decay_t<decltype(own)>;
        if constexpr (requires { own.scheme; }) {
          return near_schemes(own.scheme, gpu, [&](MatmulScheme scheme) {
            T other = own;
            other.scheme = scheme;
            return Operator(other);
          });
        } else if constexpr (std::is_same_v<T, MlaModule>) {
          return near_schemes(own.projections, gpu, [&](MatmulScheme scheme) {
            MlaModule other;
            other.projections = scheme;
            other.compute = own.compute;
            other.kv_cache = own.kv_cache;
            other.decode = own.decode;
            return Operator(other);
          });
        } else if constexpr (requires {
                               own.compute;
                               own.kv_cache;
                             }) {
          return near_caches(own);
        } else {
          static_assert(AnyOf<T, RmsNorm, Activation, Elementwise, Rope, KvWrite, Quantize, Embedding,
                              Sampling, LinearAttention, Collective>);
          NearKinds near;
          near.kinds[near.count++] = {kind_code(op), 0, false, {}};
          return near;
        }
      },
      op);
}

Operator restated(const Operator& op, MatmulScheme scheme) {
  Operator other = op;
  if (auto* product = std::get_if<Gemm>(&other))
    product->scheme = scheme;
  else if (auto* experts = std::get_if<FusedMoe>(&other))
    experts->scheme = scheme;
  else
    std::get<MlaModule>(other).projections = scheme;
  return other;
}

}  // namespace warploom
