// What Dynamo's planner learns of an engine's steps while it serves (its planner/core/perf_model, 1.x): a
// plane through the times of some of them, kept apart by their load so that a long time at one load does not
// push the others out, and means of what steps held.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "warploom/base/units.h"

namespace warploom {

// The mean of the latest values; zeros before the first other one are left out.
class MovingMean {
 public:
  void add(double value);
  double value() const { return values_.empty() ? 0 : sum_ / double(values_.size()); }

 private:
  std::deque<double> values_;
  double sum_ = 0;
  bool any_ = false;
};

class StepRegression {
 public:
  using Loads = std::array<double, 2>;  // the second is 0 where there is one

  // `loads`: 1 or 2. `may_fall`: the first may be found to shorten steps, which counts as none.
  explicit StepRegression(int loads, bool may_fall = false) : loads_(loads), may_fall_(may_fall) {}

  void add(const Loads& loads, Seconds time);
  // Seconds of a step, at least 1 us; nothing before there are enough steps, and where more load seems to
  // shorten them.
  std::optional<double> predict(const Loads& loads);
  std::int64_t size() const { return count_; }

 private:
  struct Step {
    Loads loads;
    double seconds = 0;
  };
  using Bucket = std::array<int, 2>;
  Bucket bucket_of(const Loads& loads) const;
  void sort_anew();
  bool fit();

  int loads_;
  bool may_fall_;
  std::map<Bucket, std::deque<Step>> buckets_;
  std::vector<Bucket> order_;  // of their first steps
  Loads least_{}, most_{};
  std::int64_t count_ = 0;
  bool is_fitted_ = false;
  double constant_ = 0;
  Loads slopes_{};
};

}  // namespace warploom
