// What to measure before a table can be fitted: few shapes at which waves begin and end.
#pragma once

#include <vector>

#include "warploom/tuner/tile_config.h"
#include "warploom/tuner/tile_kernel.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {

// Whether an operand has 2^31 elements or more, or attention so many keys that one anchor costs more than it
// is worth.
bool beyond_memory(const TileKernel& kernel, const TileShape& shape);

struct AnchorRow {
  TileConfig config;
  TileShape shape;
  auto operator<=>(const AnchorRow&) const = default;
};

// For every configuration, grids of 0.25 to 10 waves (just below and just above one) and loops of 4, 16, 64
// and 128 iterations, in two families: square grids, where tiles share operands, and a single row of tiles,
// where no two share the second operand. Shapes are multiples of the tile. About 80 rows a configuration,
// ascending. Operands beyond 2^31 elements are left out. Throws InvalidInput when the space is empty.
std::vector<AnchorRow> plan_anchors(const TileKernel& kernel, const TileGpu& gpu,
                                    const std::vector<TileConfig>& space);

// The same, for the first of two rounds: four grids and two loops a family, about 16 rows a configuration.
std::vector<AnchorRow> plan_first_round(const TileKernel& kernel, const TileGpu& gpu,
                                        const std::vector<TileConfig>& space);

// Rows of K that wide loads cannot read run another program (kNarrowLoads of tile_mapping.h), and a third
// one where stores are narrow too (kNarrowBoth): one configuration of each tile and warps, that of three
// stages or the nearest, at the usual grids with one less in K, then in N too, and loops of 4, 16 and 64.
// Only of products whose neighbours lie along K; else none. Throws as plan_anchors.
std::vector<AnchorRow> plan_narrow(const TileKernel& kernel, const TileGpu& gpu,
                                   const std::vector<TileConfig>& space);

// The second round: the full plan's rows that were not measured, of those configurations that may win. A
// configuration drops out when the model fitted to the first round, with its error, puts it behind the best
// one at every shape of the kernel's grid (successive halving, most of all of warps and stages). With
// `narrow_rows` those of plan_narrow for what is left too, and at 60 random shapes that are narrow both ways
// the 24 of them that rank first and some others: anchors alone do not tell such tiles apart (decision 0157).
// Throws as fit_wave_model does.
std::vector<AnchorRow> plan_second_round(const TileKernel& kernel, const TileGpu& gpu,
                                         const std::vector<TileSample>& measured, bool narrow_rows = false);

}  // namespace warploom
