// The scheme of an operator that is a whole block, where input and output projections are stored in different
// ways.
#pragma once

#include "warploom/models/layers/layer_place.h"
#include "warploom/models/layers/layer_sizes.h"

namespace warploom {

// That of the two whose bytes come nearest to those of both as they are stored.
MatmulScheme block_scheme(const LayerParameters& parameters, const LayerSchemes& schemes);

template <class Mixer>
MatmulScheme block_scheme(const Mixer& mixer, const LaunchedLayer& layer) {
  LayerParameters parameters;
  mixer.count(parameters, layer);
  return block_scheme(parameters, layer.schemes);
}

}  // namespace warploom
