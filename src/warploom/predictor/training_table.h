// The rows of one family as numbers for the learners.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/predictor/boosting.h"
#include "warploom/predictor/cell_index.h"
#include "warploom/predictor/family_model.h"
#include "warploom/predictor/train_predictor.h"

namespace warploom {

enum class Part : std::uint8_t { Learn, Calibrate, HoldOut };

struct TrainingTable {
  std::size_t columns = 0;      // without the context features
  std::vector<float> features;  // row-major
  std::vector<float> target;    // ln(latency / base)
  std::vector<float> log_base;
  std::vector<std::uint32_t> cell;  // into FamilyModel::cells
  std::vector<std::uint64_t> shape;
  std::vector<Part> part;
  std::size_t rows() const { return target.size(); }
  std::span<const float> row(std::size_t r) const { return {features.data() + r * columns, columns}; }
};

// Reads the family's rows and fills the model's gpus, contexts and measured cells (offsets from Learn rows).
// Cells with fewer than 5 rows to learn from are dropped. Rows that were chosen as bad or as a publisher's
// test are not used.
TrainingTable make_training_table(const Dataset& dataset, const GpuCatalog& catalog, Family family,
                                  const TrainingOptions& options, FamilyModel& model);

// A class is a framework, kernel and kind over all GPUs. The offsets of cells as classes: the mean over GPUs
// of the cells' offsets, without `left_out_gpu` (kAnyGpu: none left out). A cell whose class has no other GPU
// takes the mean of its kind, else of all. One entry per measured cell.
std::vector<float> class_offsets(const FamilyModel& model, std::uint16_t left_out_gpu);
// Appends the classes themselves to model.cells (gpu = kAnyGpu).
void add_class_cells(FamilyModel& model);

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
