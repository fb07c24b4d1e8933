#include "warploom/tuner/tile_mapping.h"

namespace warploom {

TileWork tile_work(const TileKernel& kernel, const TileGpu& gpu, const TileShape& shape,
                   const TileConfig& config) {
  const MappingConstants constants(kernel, gpu);
  return map_tile(constants, ShapeTerms(constants, shape), ConfigConstants(kernel, config));
}

}  // namespace warploom
