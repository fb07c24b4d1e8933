#include "warploom/planner/steady_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warploom {
namespace {

constexpr std::size_t kTogether = 5;      // of MSER-5
constexpr std::size_t kSlices = 400;      // of a run, in which what is there is averaged
constexpr std::size_t kMostBatches = 20;  // more would only be shorter

// Mean number that is there in each of kSlices equal parts of the time from `begin` to `end`.
std::vector<double> presence_of(std::span<const Stay> stays, double begin, double end) {
  const double width = (end - begin) / double(kSlices);
  // For every stay, the part of its first slice that is missed, and the part of its last one that is not.
  std::vector<double> whole(kSlices + 1, 0), part(kSlices + 1, 0);
  const auto change = [&](double time, double sign) {
    const double place = std::clamp((time - begin) / width, 0.0, double(kSlices));
    const auto slice = std::min(std::size_t(place), kSlices - 1);
    part[slice] += sign * (double(slice + 1) - place);
    whole[slice + 1] += sign;
  };
  for (const Stay& stay : stays) {
    change(stay.from, 1);
    change(std::max(stay.from, stay.until), -1);
  }
  std::vector<double> presence(kSlices);
  double there = 0;
  for (std::size_t i = 0; i < kSlices; ++i) {
    there += whole[i];
    presence[i] = there + part[i];
  }
  return presence;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

std::vector<double> means_of(std::span<const double> values, std::size_t batches) {
  std::vector<double> means;
  for (std::size_t i = 0; i < batches; ++i) {
    const std::size_t first = i * values.size() / batches, last = (i + 1) * values.size() / batches;
    means.push_back(mean_of(values.subspan(first, last - first)));
  }
  return means;
}

}  // namespace

double student_t(double normal, std::size_t freedom) {
  const double z = normal, v = double(freedom), z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double fourth = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (first + (second + (third + fourth / v) / v) / v) / v;
}

std::size_t warm_up_of(std::span<const double> series) {
  const std::size_t groups = series.size() / kTogether;
  if (groups < 2) return 0;
  const std::vector<double> means = means_of(series.first(groups * kTogether), groups);
  double sum = 0, squares = 0, least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t cut = groups; cut-- > 0;) {
    sum += means[cut];
    squares += means[cut] * means[cut];
    if (cut > groups / 2) continue;
    const double left = double(groups - cut);
    const double error = std::max(0.0, squares - sum * sum / left) / (left * left);
    if (error > least) continue;
    least = error;
    best = cut;
  }
  return best * kTogether;
}

Slope slope_of(std::span<const double> values) {
  const double count = double(values.size()), middle = (count - 1) / 2, mean = mean_of(values);
  double spread = 0, product = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = double(i) - middle;
    spread += x * x;
    product += x * (values[i] - mean);
  }
  Slope slope{.per_step = product / spread};
  double rest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double miss = values[i] - mean - slope.per_step * (double(i) - middle);
    rest += miss * miss;
  }
  slope.error = std::sqrt(rest / (count - 2) / spread);
  return slope;
}

SteadyTest test_steadiness(std::span<const Stay> stays) {
  if (stays.empty()) return {};
  // In a system that fills up, later ones say how long it was, not how long a life is.
  const std::size_t early = (stays.size() + 1) / 2;
  double time = 0;
  for (const Stay& stay : stays.first(early)) time += stay.until - stay.from;
  return test_steadiness(stays, time / double(early));
}

SteadyTest test_steadiness(std::span<const Stay> stays, double life) {
  SteadyTest test;
  if (stays.size() < 2) return test;
  const double first = stays.front().from, last = stays.back().from;
  if (!(last > first)) return test;
  const std::vector<double> presence = presence_of(stays, first, last);
  const std::size_t cut = warm_up_of(presence);
  const std::span<const double> rest = std::span(presence).subspan(cut);
  const double width = (last - first) / double(kSlices);
  test.begin = first + double(cut) * width;
  test.end = last;
  test.lives = life > 0 ? (test.end - test.begin) / life : double(stays.size());
  if (test.lives < kLeastLives) return test;
  const auto batches = std::min(kMostBatches, std::size_t(test.lives));
  const std::vector<double> means = means_of(rest, batches);
  const Slope slope = slope_of(means);
  const double step = (test.end - test.begin) / double(batches);
  const double rate = double(stays.size() - 1) / (last - first);
  const double share = 1 / (step * rate);
  const double error = slope.error * share;
  test.growth = slope.per_step * share;
  const double likely = student_t(kNormal95, batches - 2) * error;
  test.growth_low = test.growth - likely;
  test.growth_high = test.growth + likely;
  const bool grows = test.growth > student_t(kNormal995, batches - 2) * error;
  // So much more is there at the end than at the begin, as a share of what is there in the mean.
  const bool piles_up = test.growth_low * test.lives > kPilesUp;
  const bool materially = test.lives >= kSureLives && test.growth > kSteadyGrowth;
  if (grows && (materially || piles_up))
    test.verdict = Steadiness::Growing;
  else
    test.verdict = !grows && test.growth_high <= kSteadyGrowth ? Steadiness::Steady : Steadiness::Unsettled;
  return test;
}

double section_error(double whole, std::span<const double> batches) {
  double sum = 0;
  for (const double value : batches) sum += (value - whole) * (value - whole);
  const double count = double(batches.size());
  return std::sqrt(sum / (count - 1) / count);
}

}  // namespace warploom
