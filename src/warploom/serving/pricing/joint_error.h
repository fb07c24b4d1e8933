// How the errors of several kernels add up: the one rule for steps, static batches and runs.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "warploom/kernels/operator.h"

namespace warploom {

// Kernels whose errors are one: they are of one library, were measured by one program, and run on the same
// GPU at the same clocks. A model's layers launch a few of each kind over and over.
enum class ErrorKind : std::uint8_t { Products, Attention, Experts, Others };
inline constexpr std::size_t kErrorKinds = 4;
ErrorKind error_kind(Family family);

// The correlation between errors of kernels of different kinds: those of a GPU and its clocks. Source:
// deviations of kinds of kernels from their prices, in half-widths, in 84 steps of Llama-3.1-8B and
// Qwen3-30B-A3B on a real vLLM 0.24 (tools/step_accuracy --correlation; docs/decisions/0047).
inline constexpr double kSharedError = 0.04;

// Half-widths of kinds of kernels, in seconds. Floats, since tables hold many.
class HalfWidths {
 public:
  void add(ErrorKind kind, double half_width) { sums_[std::size_t(kind)] += float(half_width); }
  // Neighbouring rows of a table err alike.
  void mix(const HalfWidths& other, double weight) {
    for (std::size_t i = 0; i < kErrorKinds; ++i) sums_[i] += float(weight) * other.sums_[i];
  }
  // The error of the sum of all.
  double joint() const {
    double sum = 0, squares = 0;
    for (const float width : sums_) {
      sum += double(width);
      squares += double(width) * double(width);
    }
    return std::sqrt((1 - kSharedError) * squares + kSharedError * sum * sum);
  }

 private:
  std::array<float, kErrorKinds> sums_{};
};

}  // namespace warploom
