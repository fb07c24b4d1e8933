// How the errors of several prices add up: the one rule for steps, static batches and runs.
#pragma once

#include <cmath>

namespace warploom {

// The correlation between the errors of two different kernels of one step. They share the GPU, its clocks, the
// library and the way in which the tables were measured, so their errors are far from independent. Source:
// the kernels of Llama-3.1-8B (bf16) in 42 steps of a real vLLM 0.24 on an H200, tools/step_accuracy
// --correlation; docs/decisions/0047.
inline constexpr double kSharedError = 0.5;

// The half-width of a sum whose parts have these half-widths.
inline double joint_half_width(double a, double b) {
  return std::sqrt(a * a + b * b + 2 * kSharedError * a * b);
}

// Half-widths of distinct kernels, in seconds. Calls of the same kernel err alike: add them as one. Floats,
// since tables hold many.
struct HalfWidths {
  float sum = 0, squares = 0;

  void add(double half_width) {
    sum += float(half_width);
    squares += float(half_width * half_width);
  }
  // Neighbouring rows of a table err alike, so both are mixed with the plain weight.
  void mix(const HalfWidths& other, double weight) {
    sum += float(weight * double(other.sum));
    squares += float(weight * double(other.squares));
  }
  double joint() const {
    return std::sqrt((1 - kSharedError) * double(squares) + kSharedError * double(sum) * double(sum));
  }
};

}  // namespace warploom
