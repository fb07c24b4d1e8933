// Experts of many rows inside an engine's step, by the tile that the engine's tuned files take.
//
// Weights are read once where a tile's rows hold what an expert is given. Prices learned over all shapes do
// not know the tile and are up to a quarter longer.
#pragma once

#include <optional>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"
#include "warploom/steps/rule_constants.h"

namespace warploom {

// Both products and what stands between them, where the tile is known: bf16, both passes, `tile.least_rows`
// an expert and more. Waves of whole tiles, or the streamed weights where those take longer; where it is
// much longer than a measured price, rows are many and tiles of one expert share what they read. What
// stands around the products begins, ends and streams as `around` says.
std::optional<Seconds> whole_expert_tiles(const ExpertTileConstants& tile, const ExpertConstants& around,
                                          const FusedMoe& op, const GpuSpec& gpu, Seconds streamed_weights);

}  // namespace warploom
