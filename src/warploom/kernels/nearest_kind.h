// Kinds of one family, ordered by how near their arithmetic is to an operator's.
//
// The same element types in the matrix unit under other scales are the same arithmetic: per-tensor and
// per-token fp8, say. On a GPU without the narrow type, fp8 and nvfp4 weights are widened to 16 bits, so
// their arithmetic is that of weight-only products there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

struct NearKind {
  std::uint32_t kind = 0;  // kind_code
  double distance = 0;     // 0: the same arithmetic; else octaves between the widths of operands, summed
  bool other_scales =
      false;  // blocks of weights have scales of their own in one of the two, not in the other
  std::optional<MatmulScheme> scheme{};  // of products and experts
};

struct NearKinds {
  static constexpr std::size_t kMost = 13;
  std::array<NearKind, kMost> kinds{};
  std::size_t count = 0;
  std::span<const NearKind> all() const { return {kinds.data(), count}; }
};

// What families make their NearKinds of. fp16 and bf16 run at the same rates: measured as one, predicted as
// one.
constexpr DataType half_as_one(DataType type) { return type == DataType::Fp16 ? DataType::Bf16 : type; }
constexpr MatmulScheme half_as_one(MatmulScheme scheme) {
  return scheme == MatmulScheme::Fp16 ? MatmulScheme::Bf16 : scheme;
}
// A part of kind_code: two numbers below 16.
constexpr std::uint32_t kind_pair(auto a, auto b) { return std::uint32_t(a) * 16 + std::uint32_t(b); }

// The kind_code that an operator would have with other types. Refers to the function, which must outlive it.
template <class... Types>
class KindOf {
 public:
  template <class Function>
  KindOf(const Function& function)
      : function_(&function), call_([](const void* of, Types... types) -> std::uint32_t {
          return (*static_cast<const Function*>(of))(types...);
        }) {}
  std::uint32_t operator()(Types... types) const { return call_(function_, types...); }

 private:
  const void* function_;
  std::uint32_t (*call_)(const void*, Types...);
};

NearKinds own_kind(std::uint32_t kind);
// All schemes of products, by how near their arithmetic is to that of `own` on a GPU.
NearKinds near_schemes(MatmulScheme own, const GpuSpec& gpu, const KindOf<MatmulScheme>& kind_in);
// 8 and 16 bits for products and cache of attention.
NearKinds near_caches(DataType own_compute, DataType own_cache, const KindOf<DataType, DataType>& kind_in);

// The operator's own kind first, then the others of its family, nearest first. Own has distance 0 unless this
// GPU forms its products otherwise than the GPUs that have the type. Families without data types give their
// own kind alone. No allocation; about a microsecond.
NearKinds near_kinds(const Operator& op, const GpuSpec& gpu);

// `op` with its products in `scheme`. Needs a family with OperatorFamily::scheme.
Operator restated(const Operator& op, MatmulScheme scheme);

}  // namespace warploom
