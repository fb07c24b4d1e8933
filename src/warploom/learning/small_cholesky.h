// Cholesky factors of small dense matrices, for Gaussian processes of some hundred rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace warploom {

// Lower triangle, row by row, of a positive definite n x n matrix; becomes its Cholesky factor. O(n^3).
inline void factorise(std::vector<double>& a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j * n + j];
    }
}

// x becomes factor^-1 x.
inline void forward(const std::vector<double>& factor, std::vector<double>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= factor[i * n + k] * x[k];
    x[i] /= factor[i * n + i];
  }
}

// What the matrix whose factor it is takes to x.
inline std::vector<double> solve(const std::vector<double>& factor, std::vector<double> x) {
  const std::size_t n = x.size();
  forward(factor, x);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= factor[k * n + i] * x[k];
    x[i] /= factor[i * n + i];
  }
  return x;
}

}  // namespace warploom
