// Cells of few rows beside a like cell of many: another version of the same framework's kernel on the same
// GPU, of which a tenth of the shapes was measured, say. Its own trees interpolate poorly between those
// shapes, so it learns from the like cell what lies between its rows.
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

// For every cell that has a like one with at least twice its rows (same framework, kind and structure, its
// trees among `trees`): rows to learn in place of its own, where those tell a fifth of its shapes better.
// These are its own and as many as four times as many of the like cell's, with what they should take here: a
// share of what the like cell and small trees on the difference say, the rest by trees of its own. The share
// is 0, a half or 1. `columns` of features. O(rows of the small cells x trees).
std::map<std::uint32_t, CellRows> fill_small_cells(const FamilyJob& job, const TrainingTable& table,
                                                   const std::map<std::uint32_t, CellRows>& cells,
                                                   std::span<const float> offsets, std::size_t columns,
                                                   const SymmetricOptions& settings,
                                                   const std::map<std::uint32_t, SymmetricTrees>& trees);

// Whether a cell has such a like cell among `cells`.
bool has_like_cell(const FamilyJob& job, const std::map<std::uint32_t, CellRows>& cells, std::uint32_t cell);

}  // namespace warploom
