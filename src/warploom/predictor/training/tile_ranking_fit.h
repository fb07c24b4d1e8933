// Learns the constants of a ranking of tiles from what a library chose.
#pragma once

#include <span>

#include "warploom/kernels/tile_ranking.h"

namespace warploom {

struct ChosenTile {
  TileProblem problem;
  LibraryTile tile;
};

struct TileFitOptions {
  int most_steps = 150;
  double prior = 1e-4;  // of the squared distance from typical constants (logarithms; tastes from none)
};

// Constants with the greatest mean log chance of what was chosen (softmax over all candidates, L-BFGS with
// the exact gradient). Choices outside the candidates are not learned from. All of one family; typical
// constants when nothing is left. Memory: about 200 bytes a candidate, several hundred candidates a choice.
// One thread; equal input gives equal constants.
TileConstants fit_tile_constants(std::span<const ChosenTile> choices, const TileFitOptions& options = {});

}  // namespace warploom
