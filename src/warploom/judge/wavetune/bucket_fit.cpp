// Least squares of T = a G L + b G + c L + d with coefficients of 0 or more.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/statistics.h"
#include "warploom/judge/wavetune/grid_loop.h"
#include "warploom/judge/wavetune/wavetune_model.h"

namespace warploom {
namespace {

constexpr unsigned kTerms = 4;  // G L, G, L, 1
constexpr unsigned kWork = 1U, kLaunch = 8U, kAll = 15U;
using Terms = std::array<double, kTerms>;

// Solves a symmetric positive system of `count` rows in place; nothing when it is singular.
std::optional<Terms> solved(std::array<Terms, kTerms> matrix, Terms right, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t pivot = i;
    for (std::size_t row = i + 1; row < count; ++row)
      if (std::abs(matrix[row][i]) > std::abs(matrix[pivot][i])) pivot = row;
    // Columns are scaled to at most 1, so this is relative.
    if (std::abs(matrix[pivot][i]) < 1e-13) return std::nullopt;
    std::swap(matrix[i], matrix[pivot]);
    std::swap(right[i], right[pivot]);
    for (std::size_t row = i + 1; row < count; ++row) {
      const double share = matrix[row][i] / matrix[i][i];
      for (std::size_t k = i; k < count; ++k) matrix[row][k] -= share * matrix[i][k];
      right[row] -= share * right[i];
    }
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) right[i] -= matrix[i][k] * right[k];
    right[i] /= matrix[i][i];
  }
  return right;
}

// The anchors of a bucket as rows of the least squares.
struct BucketRows {
  BucketRows(std::span<const GridLoop> at, std::span<const double> us, FitErrors errors) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double weight = errors == FitErrors::Shares ? 1 / us[i] : 1;
      rows.push_back({weight * at[i].grid * at[i].loop, weight * at[i].grid, weight * at[i].loop, weight});
      targets.push_back(weight * us[i]);
      for (std::size_t k = 0; k < kTerms; ++k) scale[k] = std::max(scale[k], rows.back()[k]);
    }
  }
  // The least squares on the terms of `mask`; nothing when they cannot be told apart or one is negative.
  std::optional<Terms> fit(unsigned mask) const {
    std::array<std::size_t, kTerms> used{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < kTerms; ++k)
      if ((mask >> k & 1U) != 0) used[count++] = k;
    std::array<Terms, kTerms> matrix{};
    Terms right{};
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t i = 0; i < count; ++i) {
        const double left = rows[row][used[i]] / scale[used[i]];
        for (std::size_t k = 0; k < count; ++k) matrix[i][k] += left * rows[row][used[k]] / scale[used[k]];
        right[i] += left * targets[row];
      }
    const auto answer = solved(matrix, right, count);
    if (!answer) return std::nullopt;
    Terms terms{};
    for (std::size_t i = 0; i < count; ++i) {
      if ((*answer)[i] < 0) return std::nullopt;
      terms[used[i]] = (*answer)[i] / scale[used[i]];
    }
    return terms;
  }
  double squares(const Terms& terms) const {
    double sum = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      double left = -targets[row];
      for (std::size_t k = 0; k < kTerms; ++k) left += terms[k] * rows[row][k];
      sum += left * left;
    }
    return sum;
  }

  std::vector<Terms> rows;
  std::vector<double> targets;
  Terms scale{};
};

// The terms that so many different grids and loop counts can tell apart.
unsigned told_apart(std::span<const GridLoop> at) {
  std::set<double> grids, loops;
  for (const GridLoop& point : at) {
    grids.insert(point.grid);
    loops.insert(point.loop);
  }
  if (grids.size() > 1 && loops.size() > 1) return kAll;
  return grids.size() > 1 || loops.size() > 1 ? kWork | kLaunch : kWork;
}

double r_squared_of(const BilinearTime& time, std::span<const GridLoop> at, std::span<const double> us) {
  const double centre = mean({us.begin(), us.end()});
  double left = 0, total = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    left += std::pow(time.at(at[i].grid, at[i].loop) - us[i], 2);
    total += std::pow(us[i] - centre, 2);
  }
  return total > 0 ? 1 - left / total : 0;
}

}  // namespace

WaveBucket fit_bucket(std::span<const GridLoop> at, std::span<const double> us, FitErrors errors) {
  if (at.empty() || at.size() != us.size())
    throw InvalidInput("wave bucket: expected as many times as anchors, at least one");
  const BucketRows rows(at, us, errors);
  const unsigned allowed = told_apart(at);
  // Fifteen sets of terms at most: the best of those without a negative coefficient is the answer.
  Terms best{};
  unsigned terms = 0;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned mask = 1; mask <= kAll; ++mask) {
    if ((mask & ~allowed) != 0) continue;
    const auto fitted = rows.fit(mask);
    if (!fitted) continue;
    const double squares = rows.squares(*fitted);
    if (squares >= least) continue;
    least = squares;
    best = *fitted;
    terms = mask;
  }
  WaveBucket bucket{.time = {best[0], best[1], best[2], best[3]}, .anchors = at.size()};
  const auto coefficients = static_cast<std::size_t>(std::popcount(terms));
  if (at.size() > coefficients) bucket.r_squared = r_squared_of(bucket.time, at, us);
  return bucket;
}

}  // namespace warploom
