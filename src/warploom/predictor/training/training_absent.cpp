// Stands in for the two fits that call training libraries, where the program is built without them.
#include "warploom/base/learning.h"
#include "warploom/predictor/training/constants_fit.h"
#include "warploom/predictor/training/tile_ranking_fit.h"

namespace warploom {

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
