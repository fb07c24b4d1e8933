// Rows of each expert of a grouped GEMM where they are not spread evenly.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace warploom {

// Cumulative shares of the pairs: the r-th busiest of `experts` has a share proportional to r^-skew. Empty
// for a skew of 0. The power of the rank is a form for skews, not a measurement of a trained router.
inline std::vector<double> skewed_share_ends(std::int64_t experts, double skew) {
  std::vector<double> ends;
  if (!(skew > 0)) return ends;
  double sum = 0;
  for (std::int64_t rank = 1; rank <= experts; ++rank) ends.push_back(sum += std::pow(double(rank), -skew));
  for (double& end : ends) end /= sum;
  ends.back() = 1;
  return ends;
}

// Calls visit(rows) for each expert. Rows are rounded so that they sum to `pairs`; some may have none.
// Neither allocates nor throws.
template <class Visit>
inline void visit_expert_rows(std::span<const double> share_ends, double pairs, const Visit& visit) {
  double before = 0;
  for (const double end : share_ends) {
    const double now = std::floor(pairs * end + 0.5);
    visit(now - before);
    before = now;
  }
}

// Pairs of all experts together; rows below 1 count as none.
inline std::int64_t pairs_of(std::span<const std::int64_t> expert_rows) {
  std::int64_t sum = 0;
  for (const std::int64_t rows : expert_rows) sum += rows > 0 ? rows : 0;
  return sum;
}

}  // namespace warploom
