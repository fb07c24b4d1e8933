// Use case `validate kernels`: a predictor against measured rows.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/data/import_data.h"
#include "warploom/app/data/kernel_exclusions.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/judge/validate/compare_baselines.h"
#include "warploom/measurements/error_summary.h"
#include "warploom/measurements/repeat_noise.h"

namespace warploom {

struct ValidateKernelsRequest {
  MeasurementSource source;
  std::string predictor;     // as open_latency_model takes it
  std::string require_tier;  // "measured": rows that are answered by another tier are not judged; empty: all
  // Judge every row, not just those of shapes that the predictor's training kept out. Rows it learned from
  // flatter it.
  bool all_rows = false;
  // By name, judged on the same rows. They learn from `baseline_data`, files of the source's layout, if it is
  // given, else from the source's rows whose shapes were kept for training; never from rows of
  // `baseline_exclude_gpus`.
  std::vector<std::string> baselines;
  FileScope files = FileScope::machine();  // where names may be paths
  std::vector<std::filesystem::path> baseline_data;
  std::vector<std::string> baseline_exclude_gpus;
  std::function<void(std::string_view)> progress;
  static FieldTable describe();
};

struct CellErrors {
  std::string family, gpu, dtype, framework;
  ErrorSummary errors;
};

struct SkippedCount {
  std::string reason;
  std::size_t rows = 0;
};

struct ValidateKernelsResult {
  ErrorSummary overall;
  std::vector<std::pair<std::string, ErrorSummary>> families, gpus;  // in order of name
  std::vector<std::pair<std::string, ErrorSummary>> tiers;
  std::vector<CellErrors> cells;
  std::vector<SkippedCount> skipped;
  std::vector<KernelRuleRows> rules;  // that took rows out, as data/benchmarks states them
  std::vector<BaselineErrors> baselines;
  std::vector<RepeatNoise> noise;  // of rows that the source repeats; none from a store, which keeps medians
  std::string split;               // which rows were judged, in words
};

// Predictions per row with the row's own kernel context. Rows that the GPU or the model refuses are counted
// as skipped. Throws what the readers throw, InvalidInput when no row is left or nothing for baselines to
// learn from.
ValidateKernelsResult validate_kernels(const ValidateKernelsRequest& request);

}  // namespace warploom
