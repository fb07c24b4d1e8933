// Stands in for the three fits that call training libraries, where the program is built without them.
#include "warploom/base/learning.h"
#include "warploom/predictor/boosting.h"
#include "warploom/predictor/constants_fit.h"
#include "warploom/predictor/tile_ranking_fit.h"

namespace warploom {

std::vector<PlainTree> boost_trees(std::span<const float>, std::size_t, std::span<const float>,
                                   const BoostingOptions&) {
  require_learning("learning trees");
  return {};
}

BaseConstants fit_constants(Family, std::span<const ConstantsFitRow>, const BaseConstants& prior,
                            const ConstantsFitOptions&) {
  require_learning("fitting constants");
  return prior;
}

TileConstants fit_tile_constants(std::span<const ChosenTile>, const TileFitOptions&) {
  require_learning("learning the choice of tiles");
  return {};
}

}  // namespace warploom
