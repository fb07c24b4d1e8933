// Order statistics and correlations of plain samples.
#pragma once

#include <span>
#include <vector>

namespace warploom {

// Arithmetic mean; NaN when empty.
double mean(std::span<const double> values);

// Sample standard deviation with n in the denominator (NumPy's default); NaN when empty.
double standard_deviation(std::span<const double> values);

// Linear interpolation between order statistics (NumPy's and vLLM bench's default), fraction in [0, 1].
// NaN when empty. O(n) average.
double quantile(std::vector<double> values, double fraction);
// The same on values already in ascending order. O(1).
double quantile_of_sorted(std::span<const double> sorted, double fraction);

// Rank correlation with mean ranks for ties, in [-1, 1]; NaN when fewer than two values or constant.
// The spans must have equal sizes. O(n log n).
double spearman_correlation(std::span<const double> a, std::span<const double> b);
double pearson_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace warploom
