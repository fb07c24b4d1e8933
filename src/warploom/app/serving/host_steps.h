// Steps of a real engine as they were timed one by one, with async scheduling off: the columns `kind`,
// `batch` and `wall_ms` of a steps file (docs/formats.md), `kernel_sum_ms`, `rows_ms` and `core_ms` where it
// has them. Other columns are not read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "warploom/base/units.h"
#include "warploom/models/step_shape.h"

namespace warploom {

struct MeasuredStep {
  std::string batch;  // as written: "4x500", "1x2048", "16x500+512"
  StepShape shape;
  Seconds wall;                    // from the choice of the step to the choice of the next
  std::optional<Seconds> kernels;  // their sum, of the column `kernel_sum_ms` where there is one
  std::optional<Seconds> rows;     // of `kernels` what works on rows (norms, activations), of `rows_ms`
  std::optional<Seconds> core;     // the engine core's part of `wall`, of `core_ms` where there is one
};

// Throws InvalidInput naming file, line and column on kinds other than prefill, decode and mixed, on batches
// that are not written so, and on times that are not above zero; on a file without steps.
std::vector<MeasuredStep> read_measured_steps(const std::filesystem::path& path);

}  // namespace warploom
