// Gradient-boosted trees on dense data. The one place that knows the training library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/learning/tree_ensemble.h"

namespace warploom {

struct BoostingOptions {
  int trees = 150;
  int leaves = 512;                            // at most, per tree; grown best first
  int depth = 12;                              // at most
  double eta = 0.12;                           // learning rate
  double lambda = 1;                           // L2 penalty of leaf values
  double min_rows = 4;                         // of a leaf (each row weighs 1)
  double row_share = 0.8, column_share = 0.7;  // drawn for each tree
  // Targets further than this many medians of their distances from a first ensemble's answer are drawn to
  // that distance, so that rows which no input explains do not bend the trees; 0: none is.
  double bound = 0;
  std::uint64_t seed = 1;
};

// Values no further from 0 than so many medians of their sizes, nor than `least`.
std::vector<float> bounded(std::span<const float> values, double medians, float least = 0);

// Least squares on `targets`; `rows` is row-major, `columns` wide. Runs on one thread: equal inputs give
// equal trees. Throws InvalidInput when sizes disagree or nothing is given.
std::vector<PlainTree> boost_trees(std::span<const float> rows, std::size_t columns,
                                   std::span<const float> targets, const BoostingOptions& options);

// A random forest: trees grown side by side, each on a part of the rows, their mean the answer. Trees are
// deep and their leaves small, so that one tree alone follows noise.
struct ForestOptions {
  int trees = 100;
  int depth = 20;            // at most
  double min_rows = 2;       // of a leaf
  double row_share = 0.632;  // drawn for each tree: distinct rows of a draw with replacement
  std::uint64_t seed = 1;
};
// As boost_trees, whose checks it makes; the sum of the leaves is the forest's answer.
std::vector<PlainTree> grow_forest(std::span<const float> rows, std::size_t columns,
                                   std::span<const float> targets, const ForestOptions& options);

}  // namespace warploom
