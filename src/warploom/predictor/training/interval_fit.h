// Intervals from residuals of rows that the trees never saw (split conformal prediction, by bucket of size).
#pragma once

#include <vector>

#include "warploom/predictor/model/family_model.h"

namespace warploom {

// ln(measured / predicted) per bucket of predicted base time.
struct BucketResiduals {
  std::array<std::vector<double>, kBuckets> values;
  void add(double log_base, double residual) { values[bucket_of(log_base)].push_back(residual); }
  std::vector<double> all() const;
};

// The 10th and 90th percentile of each bucket. A bucket with fewer than 40 residuals takes those of all
// buckets together; fewer than 40 in all take the fallback's. low <= 0 <= high.
// `tail`: the share of rows meant to lie below and above.
LogInterval fit_interval(const BucketResiduals& residuals, const LogInterval& fallback, double tail = 0.1);

}  // namespace warploom
