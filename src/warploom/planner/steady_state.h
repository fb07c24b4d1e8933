// Whether a run came to a steady state: what is cut off as its warm-up, and whether what is in the system
// grows.
//
// - Warm-up: MSER-5. Of means of five neighbours, those are cut off whose loss makes the standard error of
//   the rest's mean least; more than half of the run is never cut off. White, Cobb and Spratt, "A comparison
//   of five steady-state truncation heuristics for simulation", Winter Simulation Conference 2000.
// - Growth: the slope of a line through means of batches that are at least a request's life long, so that
//   they hardly depend on each other, with its interval by Student's t. Law, "Simulation Modeling and
//   Analysis", on batch means. It is stated as a share of the arrivals: what comes and never leaves.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"

namespace warploom {

// Above these values of a standard normal distribution lie 10, 5 and 0.5 % of it.
inline constexpr double kNormal90 = 1.2815515655, kNormal95 = 1.6448536270, kNormal995 = 2.5758293035;
// The same of Student's t with `freedom` >= 3 degrees of freedom, within 0.5 %: Abramowitz and Stegun 26.7.5.
double student_t(double normal, std::size_t freedom);

// Values at the start of the series that are cut off: a multiple of 5, at most half of them.
std::size_t warm_up_of(std::span<const double> series);

// The slope of a line through values one apart, and the standard error of the slope. At least three values.
struct Slope {
  double per_step = 0, error = 0;
};
Slope slope_of(std::span<const double> values);

enum class Steadiness { Steady, Growing, TooShort, Unsettled };
template <>
struct EnumNames<Steadiness> {
  static constexpr std::array<std::pair<Steadiness, std::string_view>, 4> kNames{
      {{Steadiness::Steady, "steady"},
       {Steadiness::Growing, "growing"},
       {Steadiness::TooShort, "too_short"},
       {Steadiness::Unsettled, "unsettled"}}};
};

// When a request was in the system, or in a queue, in s; in order of `from`.
struct Stay {
  double from = 0, until = 0;
};

struct SteadyTest {
  Steadiness verdict = Steadiness::TooShort;
  double begin = 0, end = 0;  // s: what is judged, from the warm-up to the last arrival
  double lives = 0;           // mean stays that fit in there
  double growth = 0, growth_low = 0, growth_high = 0;  // of the arrivals; the interval holds 90 %
};

// A batch is at least a mean stay; with fewer batches than this nothing is said. Three degrees of freedom for
// the slope.
inline constexpr double kLeastLives = 5;
// Growth is believed after so many lives: before, a long way to a plateau looks the same. Or at once where
// more than what arrives in so many lives piles up in the judged time: to a plateau it is one at most.
inline constexpr double kSureLives = 10, kPilesUp = 1;
// Share of the arrivals that may pile up, with 95 % confidence, in what is called steady.
inline constexpr double kSteadyGrowth = 0.02;

// Steady: with 95 % confidence less than kSteadyGrowth of the arrivals pile up, and growth is not sure, which
// takes 99.5 %. Growing: it is sure, and that much. TooShort: fewer than kLeastLives are left. Unsettled:
// none of these; a longer run tells.
SteadyTest test_steadiness(std::span<const Stay> stays);
// Tests `stays` for a mean life of `life` s, where the growth of something shorter is asked: of a queue.
SteadyTest test_steadiness(std::span<const Stay> stays, double life);

// Standard error of a statistic of the whole from its values in batches of equal length, which follow each
// other: sectioning. Asmussen and Glynn, "Stochastic Simulation" (2007), III.5. At least two batches.
double section_error(double whole, std::span<const double> batches);

}  // namespace warploom
