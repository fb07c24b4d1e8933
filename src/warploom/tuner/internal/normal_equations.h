// Small dense least squares: sums of J^T J and J^T r, solved by Cholesky with Marquardt damping.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace warploom {

template <std::size_t N>
class NormalEquations {
 public:
  // One residual r with its derivatives, weighted.
  void add(const float* row, float r, float weight) {
    for (std::size_t i = 0; i < N; ++i) {
      const double scaled = double(row[i]) * double(weight);
      for (std::size_t j = 0; j <= i; ++j) matrix_[i][j] += scaled * double(row[j]);
      right_[i] += scaled * double(r);
    }
  }
  float diagonal(std::size_t i) const { return static_cast<float>(matrix_[i][i]); }
  void add_diagonal(std::size_t i, float curvature, float slope) {
    matrix_[i][i] += double(curvature);
    right_[i] += double(slope);
  }
  // Solves (A + damping diag A) x = b; the step to take is -x.
  std::array<double, N> solve(double damping) const {
    auto low = matrix_;
    for (std::size_t i = 0; i < N; ++i) low[i][i] = low[i][i] * (1 + damping) + 1e-12;
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = low[i][j];
        for (std::size_t k = 0; k < j; ++k) sum -= low[i][k] * low[j][k];
        low[i][j] = i == j ? std::sqrt(std::max(sum, 1e-15)) : sum / low[j][j];
      }
    }
    auto x = right_;
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= low[i][k] * x[k];
      x[i] /= low[i][i];
    }
    for (std::size_t i = N; i-- > 0;) {
      for (std::size_t k = i + 1; k < N; ++k) x[i] -= low[k][i] * x[k];
      x[i] /= low[i][i];
    }
    return x;
  }

 private:
  std::array<std::array<double, N>, N> matrix_{};
  std::array<double, N> right_{};
};

}  // namespace warploom
