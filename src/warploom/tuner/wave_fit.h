// Fits the wave model (wave_time.h) to measured samples, one configuration at a time.
#pragma once

#include <cstddef>
#include <span>

#include "warploom/tuner/tile_sample.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

// Robust least squares on ln time with positive coefficients, weak priors towards usual values and the number
// of resident tiles found by trial up to what the GPU allows. Deterministic. About 4 ms a configuration with
// 80 samples. Throws InvalidInput when no configuration has kFewestSamples samples, or when all samples lie
// within one wave (nothing then says what a second wave costs).
inline constexpr std::size_t kFewestSamples = 8;
WaveModel fit_wave_model(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples);

}  // namespace warploom
