// Learns symmetric trees by gradient boosting on histograms.
#pragma once

#include <cstdint>
#include <span>

#include "warploom/learning/symmetric_trees.h"

namespace warploom {

struct SymmetricOptions {
  int trees = 160;
  int depth = 8;
  int cuts = 63;                               // of an input, at most: quantiles of its values
  double eta = 0.2;                            // learning rate
  double lambda = 2;                           // L2 penalty of leaf values
  double row_share = 0.8, column_share = 0.5;  // drawn for each tree
  // Residuals beyond this many medians of their sizes count as that much (Huber's loss), so that rows which
  // no input explains do not bend the trees; 0: plain least squares.
  double bound = 0;
  std::uint64_t seed = 1;
};

// Least squares on `targets`, bounded when asked for; `rows` is row-major, `columns` wide. Leaves are rounded
// as they are stored while boosting, so later trees make up for the rounding. The depth is less where rows
// are few (eight to a leaf). Inputs that no tree asks about are left out. One thread; equal inputs give equal
// trees. Throws InvalidInput when sizes disagree or nothing is given. O(trees x depth x rows x columns).
SymmetricTrees boost_symmetric(std::span<const float> rows, std::size_t columns,
                               std::span<const float> targets, const SymmetricOptions& options);

}  // namespace warploom
