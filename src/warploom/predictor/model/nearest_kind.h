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

// The operator's own kind first, then the others of its family, nearest first. Own has distance 0 unless this
// GPU forms its products otherwise than the GPUs that have the type. Families without data types give their
// own kind alone. No allocation; about a microsecond.
NearKinds near_kinds(const Operator& op, const GpuSpec& gpu);

// `op` with its products in `scheme`. Needs a Gemm, FusedMoe or MlaModule.
Operator restated(const Operator& op, MatmulScheme scheme);

}  // namespace warploom
