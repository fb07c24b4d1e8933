#include "warploom/serving/cluster/step_regression.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warploom {
namespace {

// Dynamo's defaults (planner/config/defaults.py): max_num_fpm_samples, load_min_observations and
// fpm_sample_bucket_size, which is all buckets; of two loads the root of it each.
constexpr std::int64_t kMostSteps = 64, kFewestSteps = 5;
constexpr int kBuckets = 16, kBucketsOfTwo = 4;
constexpr double kLeastSeconds = 1e-6;
constexpr double kFlat = 1e-12;  // of the largest spread: loads that move together count as one

}  // namespace

void MovingMean::add(double value) {
  if (value == 0 && !any_) return;
  any_ = true;
  if (std::ssize(values_) == kMostSteps) {
    sum_ -= values_.front();
    values_.pop_front();
  }
  values_.push_back(value);
  sum_ += value;
}

StepRegression::Bucket StepRegression::bucket_of(const Loads& loads) const {
  const int buckets = loads_ == 1 ? kBuckets : kBucketsOfTwo;
  Bucket bucket{};
  for (std::size_t i = 0; i < std::size_t(loads_); ++i)
    if (most_[i] > least_[i])
      bucket[i] = std::clamp(int((loads[i] - least_[i]) / (most_[i] - least_[i]) * buckets), 0, buckets - 1);
  return bucket;
}

void StepRegression::sort_anew() {
  std::vector<Step> steps;
  for (const Bucket& bucket : order_)
    for (const Step& step : buckets_[bucket]) steps.push_back(step);
  buckets_.clear();
  order_.clear();
  for (const Step& step : steps) {
    const Bucket bucket = bucket_of(step.loads);
    if (buckets_[bucket].empty()) order_.push_back(bucket);
    buckets_[bucket].push_back(step);
  }
}

void StepRegression::add(const Loads& loads, Seconds time) {
  bool wider = count_ == 0;
  if (wider) least_ = most_ = loads;
  for (std::size_t i = 0; i < std::size_t(loads_); ++i) {
    wider = wider || loads[i] < least_[i] || loads[i] > most_[i];
    least_[i] = std::min(least_[i], loads[i]);
    most_[i] = std::max(most_[i], loads[i]);
  }
  if (wider && count_ > 0) sort_anew();
  const Bucket bucket = bucket_of(loads);
  if (buckets_[bucket].empty()) order_.push_back(bucket);
  buckets_[bucket].push_back({loads, time.value()});
  is_fitted_ = false;
  if (++count_ <= kMostSteps) return;
  // The oldest of the fullest bucket goes; of equal ones the one that was there first.
  const auto fuller = [&](const Bucket& a, const Bucket& b) {
    return buckets_[a].size() < buckets_[b].size();
  };
  const auto fullest = std::max_element(order_.begin(), order_.end(), fuller);
  buckets_[*fullest].pop_front();
  --count_;
  if (!buckets_[*fullest].empty()) return;
  buckets_.erase(*fullest);
  order_.erase(fullest);
}

// Least squares; where the loads do not spread in both directions, the smallest slopes that fit.
bool StepRegression::fit() {
  if (count_ < kFewestSteps) return false;
  Loads mean{};
  double mean_time = 0;
  for (const auto& [bucket, steps] : buckets_)
    for (const Step& step : steps) {
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += step.loads[i] / double(count_);
      mean_time += step.seconds / double(count_);
    }
  double a = 0, b = 0, c = 0;  // spreads: of the first, of both, of the second
  Loads with_time{};
  for (const auto& [bucket, steps] : buckets_)
    for (const Step& step : steps) {
      const double x = step.loads[0] - mean[0], y = step.loads[1] - mean[1], t = step.seconds - mean_time;
      a += x * x, b += x * y, c += y * y;
      with_time[0] += x * t, with_time[1] += y * t;
    }
  // Along the two axes of the spreads.
  const double middle = (a + c) / 2, half = std::hypot((a - c) / 2, b);
  const double angle = std::atan2(2 * b, a - c) / 2;
  const double larger = middle + half;
  slopes_ = {};
  for (const auto& [spread, turn] : {std::pair(larger, angle), std::pair(middle - half, angle + M_PI / 2)}) {
    if (spread <= kFlat * larger || spread <= 0) continue;
    const Loads axis{std::cos(turn), std::sin(turn)};
    const double along = (axis[0] * with_time[0] + axis[1] * with_time[1]) / spread;
    slopes_[0] += along * axis[0], slopes_[1] += along * axis[1];
  }
  constant_ = mean_time - slopes_[0] * mean[0] - slopes_[1] * mean[1];
  if (may_fall_) slopes_[0] = std::max(0.0, slopes_[0]);
  return is_fitted_ = slopes_[0] >= 0 && slopes_[1] >= 0;
}

std::optional<double> StepRegression::predict(const Loads& loads) {
  if (!is_fitted_ && !fit()) return std::nullopt;
  return std::max(kLeastSeconds, constant_ + slopes_[0] * loads[0] + slopes_[1] * loads[1]);
}

}  // namespace warploom
