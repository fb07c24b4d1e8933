#include "warploom/measurements/error_summary.h"

#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/statistics.h"

namespace warploom {

FieldTable ErrorSummary::describe() {
  return FieldList<ErrorSummary>("error_summary")
      .add("rows", &ErrorSummary::rows, {.doc = "rows compared", .min = 0})
      .add("mean_error", &ErrorSummary::mean_error, {.doc = "mean of |predicted - measured| / measured"})
      .add("median_error", &ErrorSummary::median_error, {.doc = "median of the same"})
      .add("p90_error", &ErrorSummary::p90_error, {.doc = "90th percentile of the same"})
      .add("bias", &ErrorSummary::bias, {.doc = "mean of (predicted - measured) / measured"})
      .add("coverage", &ErrorSummary::coverage, {.doc = "share of rows between p10 and p90"})
      .add("roofline_mean_error", &ErrorSummary::roofline_mean_error, {.doc = "mean error of the roofline"})
      .table();
}

void ErrorAccumulator::add(Seconds predicted, Seconds p10, Seconds p90, Seconds roofline, Seconds measured) {
  WARPLOOM_ASSERT(measured.value() > 0);
  signed_errors_.push_back((predicted - measured) / measured);
  roofline_errors_.push_back(std::abs((roofline - measured) / measured));
  if (p10 <= measured && measured <= p90) ++inside_;
}

void ErrorAccumulator::merge(const ErrorAccumulator& other) {
  signed_errors_.insert(signed_errors_.end(), other.signed_errors_.begin(), other.signed_errors_.end());
  roofline_errors_.insert(roofline_errors_.end(), other.roofline_errors_.begin(),
                          other.roofline_errors_.end());
  inside_ += other.inside_;
}

ErrorSummary ErrorAccumulator::summary() const {
  if (signed_errors_.empty()) return {};
  std::vector<double> errors;
  errors.reserve(size());
  for (const double error : signed_errors_) errors.push_back(std::abs(error));
  return {.rows = static_cast<std::int64_t>(size()),
          .mean_error = mean(errors),
          .median_error = quantile(errors, 0.5),
          .p90_error = quantile(errors, 0.9),
          .bias = mean(signed_errors_),
          .coverage = double(inside_) / double(size()),
          .roofline_mean_error = mean(roofline_errors_)};
}

std::vector<std::pair<std::string, ErrorSummary>> summaries(
    const std::map<std::string, ErrorAccumulator>& by_name) {
  std::vector<std::pair<std::string, ErrorSummary>> result;
  for (const auto& [name, accumulator] : by_name) result.emplace_back(name, accumulator.summary());
  return result;
}

}  // namespace warploom
