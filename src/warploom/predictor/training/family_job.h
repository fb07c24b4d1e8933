// One family in training: what its stages see. They take it as it is and return what they found; only
// train_family (train_predictor.cpp), which runs them in their order, and calibrate_family write to it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/learning/boosting.h"
#include "warploom/learning/tree_ensemble.h"
#include "warploom/measurements/dataset.h"
#include "warploom/predictor/model/context_codes.h"
#include "warploom/predictor/model/family_model.h"
#include "warploom/predictor/training/class_offsets.h"
#include "warploom/predictor/training/training_options.h"
#include "warploom/predictor/training/training_report.h"
#include "warploom/predictor/training/training_rows.h"
#include "warploom/predictor/training/training_table.h"

namespace warploom {

inline constexpr std::uint32_t kFewestRowsForTrees = 60;

struct FamilyJob {
  const Dataset& dataset;
  const GpuCatalog& catalog;
  const TrainingOptions& options;
  FamilyModel model;
  TrainingRows rows;
  FamilyTraining report;
  std::vector<ContextCodes> codes;  // of model.contexts
  std::size_t measured_cells = 0;
  // For each measured cell, the cell whose trees it shares (share_versions.h). Empty: none shares.
  std::vector<std::uint32_t> leader = {};

  std::uint32_t leader_of(std::uint32_t cell) const { return leader.empty() ? cell : leader[cell]; }
  int gpu_of(std::uint32_t r) const { return model.cells[rows.cell[r]].gpu; }
  // Rows of a part, of one GPU (-1: all).
  std::vector<std::uint32_t> rows_of(Part part, int gpu) const;
  // Rows of a part on the GPUs g with of_gpus[g].
  std::vector<std::uint32_t> rows_on(Part part, const std::vector<bool>& of_gpus) const;
  TrainingTable table(std::span<const std::uint32_t> which, const FittedBase& base) const {
    return make_table(dataset, catalog, rows, which, model, base);
  }
};

// An even draw of about `most` of `chosen` by hash of shape and position, in row order.
std::vector<std::uint32_t> thin(const std::vector<std::uint32_t>& chosen, const TrainingRows& rows,
                                std::size_t most, std::uint64_t seed);
// The same with at most about `most` rows of each GPU.
std::vector<std::uint32_t> thin_by_gpu(const std::vector<std::uint32_t>& chosen, const FamilyJob& job,
                                       std::size_t most, std::uint64_t seed);

// Encoded trees that learn `which` rows of a table (all when empty): target less offset of the cell.
std::string learn_trees(const FamilyJob& job, const TrainingTable& table,
                        std::span<const std::uint32_t> which, std::span<const float> offsets,
                        const BoostingOptions& boosting);
// Residual trees' answer for a row of a table.
double tree_answer(const FamilyJob& job, const TreeEnsemble& trees, const TrainingTable& table, std::size_t r,
                   std::span<const float> offsets);

// A record with the range of each feature over a table; its trees are yet to come.
EnsembleRecord with_ranges(const TrainingTable& table, std::uint16_t gpu);

ErrorFigures figures_of(std::vector<double> errors, std::size_t inside);

}  // namespace warploom
