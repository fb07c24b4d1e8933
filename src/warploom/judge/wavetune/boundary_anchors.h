// What to measure for the published wave model: sparse anchors at the ends of waves.
#pragma once

#include <vector>

#include "warploom/tuner/anchor_plan.h"

namespace warploom {

// For every configuration, the grids nearest to the first and the last tile of 1, 2, 3, 4, 6 and 10 waves (of
// the first wave a quarter of it in place of a single tile) with loops of 4, 16, 64 and 128 steps, on tile
// grids near the square. About 48 rows a configuration, ascending; counts are ours, since the publication
// gives none. Grids that a batch, parts of k or groups of heads cannot make are left out, and so are operands
// beyond 2^31 elements. Throws InvalidInput when the space is empty.
std::vector<AnchorRow> plan_boundary_anchors(const TileKernel& kernel, const TileGpu& gpu,
                                             const std::vector<TileConfig>& space);

}  // namespace warploom
