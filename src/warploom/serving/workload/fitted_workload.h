// Workloads that were fitted to public traces, or stated without one (`source` says which): the quantiles
// of input length, output length and time between arrivals. Lengths and times are drawn independently (in
// the conversation trace the rank correlation of input and output is 0.07, that of successive gaps 0.04);
// what is lost is the slow drift of the arrival rate over the hour.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// Quantiles at evenly spaced fractions 0 ... 1, at least two, ascending.
struct FittedWorkload {
  std::string name;
  std::string source;
  double request_rate = 1.0;  // requests/s of the trace
  std::vector<double> input_tokens;
  std::vector<double> output_tokens;
  std::vector<double> arrival_gap;  // in units of the mean gap
  static FieldTable describe();
};

// The built-in ones, for example "conversation". Throws NotFound with the nearest names.
std::vector<std::string> fitted_workload_names();
// With those of sessions (named_sessions.h), in the order of letters.
std::vector<std::string> workload_names();
const FittedWorkload& fitted_workload(std::string_view name);

// Reads a record of this kind. Throws InvalidInput (see FittedWorkload).
FittedWorkload parse_fitted_workload(std::string_view text, std::string_view where);

// Draws requests; `rate` in requests/s, absent: the trace's. The same seed gives the same lengths at every
// rate. Throws InvalidInput unless requests >= 1 and rate > 0.
Workload sample_workload(const FittedWorkload& fitted, std::int64_t requests, std::optional<double> rate,
                         std::uint64_t seed);

}  // namespace warploom
