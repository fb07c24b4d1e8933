// Boosted trees that predict a configuration's time: the learned baseline of the tuner's publications.
#pragma once

#include <span>
#include <vector>

#include "warploom/learning/tree_ensemble.h"
#include "warploom/tuner/regret.h"
#include "warploom/tuner/tile_mapping.h"

namespace warploom {

// Regression of ln(time) over shape, configuration and the grid that they make: XGBoost with 600 trees of
// depth 10, a learning rate of 0.05 and 0.8 of the rows a tree. Source of the four: the baseline of WaveTune
// (arXiv 2604.10187).
class LatencyTrees {
 public:
  // Throws Unsupported where the program was built without the training libraries.
  LatencyTrees(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples);

  double predict_us(const TileShape& shape, const TileConfig& config) const;
  // The times of all configurations measured at the shape, in their order.
  std::vector<double> predict_us(const OracleShape& oracle) const;

 private:
  MappingConstants mapping_;
  std::vector<PlainTree> trees_;
};

}  // namespace warploom
