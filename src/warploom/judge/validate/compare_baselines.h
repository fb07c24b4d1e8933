// Baselines trained and judged on the rows that a predictor is judged beside.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/data/import_data.h"
#include "warploom/base/file_scope.h"
#include "warploom/base/work_clock.h"
#include "warploom/baselines/baseline.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/error_summary.h"

namespace warploom {

struct BaselineErrors {
  std::string name;
  ErrorSummary overall;
  std::vector<std::pair<std::string, ErrorSummary>> families, gpus;  // in order of name
  // Rows that the method has no model for, by reason; judged in none of the above.
  std::vector<std::pair<std::string, std::size_t>> unanswered;
  WorkCost training;
  double answer_microseconds = 0;  // mean processor time of an answer, features included
};

// A baseline to compare with: a kind to train, or a model that `train --method` wrote.
struct Baseline {
  std::string name;  // of the kind, or the file's
  BaselineKind kind = BaselineKind::Roofline;
  std::shared_ptr<const LatencyModel> trained;  // null: the kind is trained
  WorkCost training;
  bool learns() const { return trained == nullptr && kind != BaselineKind::Roofline; }
};
// By the name of a kind or the path of a file. Throws InvalidInput or NotFound naming the field `baselines`.
Baseline open_baseline(const std::string& text, const FileScope& files = {});

// The same, those that learn trained on the source's rows (none chosen as bad, none of a publisher's test).
// Throws InvalidInput when no row is left. The catalog must outlive the baselines.
std::vector<Baseline> train_baselines(std::vector<Baseline> baselines, const MeasurementSource& source,
                                      const GpuCatalog& catalog,
                                      const std::function<void(std::string_view)>& progress);

// Rows of each GPU and kernel that PipeWeave's networks learn from in comparisons, an even draw.
inline constexpr std::size_t kBaselineRowsPerGpu = 10000;

// Rows that training may use: neither chosen as bad nor a publisher's test.
bool is_learnable(const Dataset& dataset, std::uint32_t row);

// Trains each baseline on `training` and judges it on `judged` rows of `dataset`. Rows that a GPU refuses are
// left out, as validate_kernels leaves them out; so are rows that a baseline can only answer with the
// roofline, except those of the baseline `roofline`. Coverage is that of a point, so nearly 0 (the roofline
// has an interval).
struct BaselineComparison {
  const std::vector<Baseline>& baselines;
  const BaselineRows& training;
  const Dataset& dataset;
  const std::vector<std::uint32_t>& judged;
  std::size_t threads = 0;  // of trainings; 0: as many as the machine has
};
std::vector<BaselineErrors> compare_baselines(const BaselineComparison& comparison, const GpuCatalog& catalog,
                                              const std::function<void(std::string_view)>& progress);

}  // namespace warploom
