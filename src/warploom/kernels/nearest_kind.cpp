#include "warploom/kernels/nearest_kind.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "warploom/base/error.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/precision_support.h"

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

}  // namespace

NearKinds own_kind(std::uint32_t kind) {
  NearKinds near;
  near.kinds[near.count++] = {kind, 0, false, {}};
  return near;
}

NearKinds near_schemes(MatmulScheme own, const GpuSpec& gpu, const KindOf<MatmulScheme>& kind_in) {
  const Arithmetic here = arithmetic_on(own, gpu);
  NearKinds near;
  const auto add = [&](MatmulScheme scheme) {
    near.kinds[near.count++] = {kind_in(scheme), distance(here, arithmetic_of(scheme)),
                                has_block_scales(scheme) != has_block_scales(own), scheme};
  };
  add(own);
  for (const auto& [scheme, name] : EnumNames<MatmulScheme>::kNames)
    if (scheme != own && scheme != MatmulScheme::Fp16) add(scheme);
  sort_by_nearness(near);
  return near;
}

NearKinds near_caches(DataType own_compute, DataType own_cache, const KindOf<DataType, DataType>& kind_in) {
  NearKinds near;
  const auto add = [&](DataType compute, DataType cache) {
    near.kinds[near.count++] = {
        kind_in(compute, cache),
        octaves(half_as_one(own_compute), compute) + octaves(half_as_one(own_cache), cache),
        false,
        {}};
  };
  add(half_as_one(own_compute), half_as_one(own_cache));
  for (const DataType compute : {DataType::Bf16, DataType::Fp8})
    for (const DataType cache : {DataType::Bf16, DataType::Fp8})
      if (compute != half_as_one(own_compute) || cache != half_as_one(own_cache)) add(compute, cache);
  sort_by_nearness(near);
  return near;
}

NearKinds near_kinds(const Operator& op, const GpuSpec& gpu) { return family_value(op).near(op, gpu); }

Operator restated(const Operator& op, MatmulScheme scheme) {
  Operator other = op;
  const OperatorFamily& value = family_value(op);
  WARPLOOM_ASSERT(value.scheme != nullptr);
  *value.scheme(other) = scheme;
  return other;
}

}  // namespace warploom
