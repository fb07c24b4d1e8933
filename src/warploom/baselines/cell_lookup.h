// Which measured rows stand for an operator: those of its GPU, library and data type, else wider circles.
#pragma once

#include <array>
#include <cstdint>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator_coordinates.h"

namespace warploom::baselines {

// From narrow to wide.
enum class Circle : std::size_t {
  Cell,     // GPU, framework, version, kernel, variant
  Release,  // any version
  Library,  // any GPU
  Variant   // any GPU and library
};
inline constexpr std::size_t kCircles = 4;

using CircleKeys = std::array<std::uint64_t, kCircles>;
CircleKeys circle_keys(const OperatorCoordinates& op, const GpuSpec& gpu, const KernelContext& context);

// A prediction without an interval, not below what physics allows.
LatencyEstimate plain_estimate(double seconds, const Operator& op, const GpuSpec& gpu, Tier tier);

}  // namespace warploom::baselines
