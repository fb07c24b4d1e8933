// How far measurements of the same thing lie apart: what no prediction can be better than.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "warploom/kernels/operator.h"

namespace warploom {

// Error that a perfect prediction would have against one measured row, from rows that repeat operator, GPU,
// kernel context and layout: of two such rows |ln ratio| / sqrt(2), which is exact for normal noise. Repeats
// of one sweep share its clocks and temperature, so noise between sweeps comes on top.
struct RepeatNoise {
  Family family = Family::Gemm;
  std::size_t rows = 0;                  // that have a repeat
  double mean = 0, median = 0, p90 = 0;  // ratios, over these rows
};

class RepeatNoiseCounter {
 public:
  // The distinct latencies of one thing, s. One alone says nothing.
  void add(Family family, std::span<const double> latencies);
  std::vector<RepeatNoise> summary() const;  // families that have repeats, in their order

 private:
  std::map<Family, std::vector<double>> errors_;  // by row
};

}  // namespace warploom
