// The rows of one family as numbers for the learners.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/predictor/cell_index.h"
#include "warploom/predictor/family_model.h"
#include "warploom/predictor/features.h"
#include "warploom/predictor/training_rows.h"

namespace warploom {

struct TrainingTable {
  Family family = Family::Gemm;
  std::size_t columns = 0;          // without the context features
  std::vector<float> features;      // row-major
  std::vector<float> target;        // ln(latency / base)
  std::vector<float> log_base;      // with the overhead
  std::vector<float> plain_base;    // ln of it without
  std::vector<float> result_rows;   // FeatureRow::rows
  std::vector<std::uint32_t> cell;  // into FamilyModel::cells
  std::vector<std::uint64_t> shape;
  std::vector<Part> part;
  std::vector<std::uint32_t> source;  // row of the data set
  std::vector<std::uint32_t> design;  // FeatureRow::design
  std::uint64_t design_slots = 0;     // FeatureRow::design_slots
  std::size_t rows() const { return target.size(); }
  std::span<const float> row(std::size_t r) const { return {features.data() + r * columns, columns}; }
};

// The features and targets of `which` rows under a fitted base, overheads included in log_base.
TrainingTable make_table(const Dataset& dataset, const GpuCatalog& catalog, const TrainingRows& rows,
                         std::span<const std::uint32_t> which, const FamilyModel& model,
                         const FittedBase& base);

// A row as compute_features left it, its base with the overhead.
void take_features(const TrainingTable& table, std::size_t r, FeatureRow& row);

// What trees over all GPUs see of attention and experts in place of the kGpuFeatures features of the GPU,
// which tell a handful of GPUs apart and no other: the version of the library. `row` begins with `columns`
// features. Other families keep them.
void hide_gpu(Family family, std::span<float> row, std::size_t columns, const ContextCodes& codes);

// A dense matrix for the learners: features with context, targets less the offset.
struct LearningSet {
  std::vector<float> rows, targets;
};
LearningSet make_learning_set(const TrainingTable& table, std::span<const std::uint32_t> rows,
                              const std::vector<ContextCodes>& codes, const FamilyModel& model,
                              std::span<const float> offsets);
// The same row for prediction.
void fill_row(const TrainingTable& table, std::size_t r, const ContextCodes& codes, float offset,
              FeatureRow& row);

}  // namespace warploom
