// The figures of `validate kernels`, in the shape of the command-line contract.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/measurements/error_summary.h"
#include "warploom/measurements/repeat_noise.h"

namespace warploom {

// {"rows", "mean_error", ...}; NaN becomes null.
Json error_summary_json(const ErrorSummary& summary);

// Named rows of errors as a table; `title` heads the first column.
std::string error_table_text(const std::string& title,
                             const std::vector<std::pair<std::string, ErrorSummary>>& rows);

// By family: {"rows", "mean", "median", "p90"}, ratios.
Json noise_json(const std::vector<RepeatNoise>& noise);
std::string noise_table_text(const std::vector<RepeatNoise>& noise);

}  // namespace warploom
