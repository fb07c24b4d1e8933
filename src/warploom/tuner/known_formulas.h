// The formula's coefficients of configurations on a GPU where they were measured well: what a fit to another
// GPU's few and noisy samples begins with.
#pragma once

#include <array>
#include <cstddef>
#include <map>

#include "warploom/tuner/tile_config.h"

namespace warploom {

// Coefficients of the wave model (wave_time.h) as a fit sees them: logarithms of positive ones, log-odds of
// shares, in the order of WaveCoefficients without slots and buckets.
inline constexpr std::size_t kFitted = 18;
using FitPoint = std::array<float, kFitted>;
inline constexpr std::size_t kMathPlace = 6;

struct KnownFormula {
  int slots = 1;
  FitPoint point{};
  FitPoint held{};  // 0 to 1: how firmly the samples held each coordinate by itself
};

using KnownFormulas = std::map<TileConfig, KnownFormula>;

}  // namespace warploom
