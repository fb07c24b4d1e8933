#include "warploom/kernels/size_range.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

// A power law of the widths of its range that a feature lies outside of it: the half-width at one width, and
// the exponent. Fitted to the growth of the 80th percentile of |ln(measured / predicted)| where products,
// experts and attention of an A100 and an H100 were learned from the 60 or 40 % of their rows with the
// shortest base time and judged on all (0.10 at a fiftieth of a width, 0.17 at a third, 0.26 at one and a
// half).
constexpr double kDoubtAtOneWidth = 0.22;  // ln
constexpr double kDoubtExponent = 0.3;

constexpr double kNarrowestRange = 1;  // octave

}  // namespace

double widths_outside(const SizeRange& range, double size) {
  const double beyond = std::max(std::log2(size / range.high), std::log2(range.low / size));
  return beyond > 0 ? beyond / std::max(std::log2(range.high / range.low), kNarrowestRange) : 0;
}

double doubt_outside(double widths) {
  return widths > 0 ? kDoubtAtOneWidth * std::pow(widths, kDoubtExponent) : 0;
}

}  // namespace warploom
