// The rows of one family as numbers for the learners.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/model/context_codes.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/training/training_rows.h"

namespace warploom {

struct TrainingTable {
  Family family = Family::Gemm;
  std::size_t columns = 0;          // without the context features
  std::vector<float> features;      // row-major
  std::vector<float> target;        // ln(latency / base)
  std::vector<float> log_base;      // with the overhead
  std::vector<float> plain_base;    // ln of it without
  std::vector<float> result_rows;   // OperatorFeatures::rows
  std::vector<std::uint32_t> cell;  // into FamilyModel::cells
  std::vector<std::uint64_t> shape;
  std::vector<Part> part;
  std::vector<std::uint32_t> source;  // row of the data set
  std::vector<std::uint32_t> layer;   // OperatorFeatures::layer
  std::uint64_t layer_slots = 0;      // OperatorFeatures::layer_slots
  std::size_t rows() const { return target.size(); }
  std::span<const float> row(std::size_t r) const { return {features.data() + r * columns, columns}; }
};

// The features and targets of `which` rows under a fitted base, overheads included in log_base.
TrainingTable make_table(const Dataset& dataset, const GpuCatalog& catalog, const TrainingRows& rows,
                         std::span<const std::uint32_t> which, const FamilyModel& model,
                         const FittedBase& base);

// A row as compute_features left it, its base with the overhead.
void take_features(const TrainingTable& table, std::size_t r, OperatorFeatures& row);

// A dense matrix for the learners: features with context, targets less the offset.
struct LearningSet {
  std::vector<float> rows, targets;
};
LearningSet make_learning_set(const TrainingTable& table, std::span<const std::uint32_t> rows,
                              const std::vector<ContextCodes>& codes, const FamilyModel& model,
                              std::span<const float> offsets);
// The same row for prediction.
void fill_row(const TrainingTable& table, std::size_t r, const ContextCodes& codes, float offset,
              OperatorFeatures& row);

}  // namespace warploom
