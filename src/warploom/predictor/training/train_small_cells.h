// Cells of few rows beside a similar cell of many rows: for example another version of the same framework's
// kernel on the same GPU, where only a tenth of the shapes was measured. The small cell's own trees
// interpolate poorly between those shapes, so it learns from the similar cell what lies between its rows.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "warploom/learning/symmetric_boosting.h"
#include "warploom/predictor/training/family_job.h"

namespace warploom {

// Rows of one cell for its trees.
struct CellRows {
  std::vector<std::uint32_t> rows;       // of the table
  std::vector<float> features, targets;  // targets less the cell's offset
};

// For every cell that has a similar one with at least twice its rows (same framework, kind and structure, its
// trees among `trees`): rows to learn in place of its own, where those predict a held-out fifth of its shapes
// better. They are its own rows and up to four times as many of the similar cell's. The target of such a row
// is a weighted mean: `share` of the similar cell's prediction plus small trees on the difference between the
// two cells, the rest by trees of the cell's own. The share is 0, 0.5 or 1. `columns` is the number of
// features. O(rows of the small cells x trees).
std::map<std::uint32_t, CellRows> fill_small_cells(const FamilyJob& job, const TrainingTable& table,
                                                   const std::map<std::uint32_t, CellRows>& cells,
                                                   std::span<const float> offsets, std::size_t columns,
                                                   const SymmetricOptions& settings,
                                                   const std::map<std::uint32_t, SymmetricTrees>& trees);

// Whether a cell has such a similar cell among `cells`.
bool has_similar_cell(const FamilyJob& job, const std::map<std::uint32_t, CellRows>& cells,
                      std::uint32_t cell);

}  // namespace warploom
