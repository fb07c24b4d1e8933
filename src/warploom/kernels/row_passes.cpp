#include "warploom/kernels/row_passes.h"

#include <algorithm>

namespace warploom {
namespace {

// Times the bound: the nearest of the public rows of fp8 products without a pass (PipeWeave's, 16,384 rows on
// an H20).
constexpr double kNearestToBound = 1.1;

}  // namespace

Seconds without_passes(const LatencyEstimate& row, Seconds passes) {
  return std::max(row.p50 - passes, std::min(row.p50, kNearestToBound * row.physical_bound));
}

}  // namespace warploom
