// Figures of merit of predictions against measurements. The error of a row is |predicted - measured| /
// measured.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

// What `validate` prints per family, GPU and cell. Ratios, not percent; NaN without rows (JSON: null).
struct ErrorSummary {
  std::int64_t rows = 0;
  double mean_error = std::numeric_limits<double>::quiet_NaN();
  double median_error = std::numeric_limits<double>::quiet_NaN();
  double p90_error = std::numeric_limits<double>::quiet_NaN();
  double bias = std::numeric_limits<double>::quiet_NaN();      // mean of (predicted - measured) / measured
  double coverage = std::numeric_limits<double>::quiet_NaN();  // share of rows inside [p10, p90]
  double roofline_mean_error = std::numeric_limits<double>::quiet_NaN();  // of the roofline on the same rows
  static FieldTable describe();
};

// Collects rows and gives their summary; 16 bytes a row. The summary does not depend on the order of rows but
// for the rounding of sums, which add() and merge() keep in call order.
class ErrorAccumulator {
 public:
  // measured > 0; p10 <= predicted <= p90 are the prediction's quantiles; roofline is the roofline's time.
  void add(Seconds predicted, Seconds p10, Seconds p90, Seconds roofline, Seconds measured);
  // Adds the other's rows after one's own.
  void merge(const ErrorAccumulator& other);
  std::size_t size() const { return signed_errors_.size(); }
  ErrorSummary summary() const;  // O(n)

 private:
  std::vector<double> signed_errors_;
  std::vector<double> roofline_errors_;
  std::size_t inside_ = 0;
};

std::vector<std::pair<std::string, ErrorSummary>> summaries(
    const std::map<std::string, ErrorAccumulator>& by_name);

}  // namespace warploom
