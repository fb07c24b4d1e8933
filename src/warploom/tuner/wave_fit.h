// Fits the wave model (wave_time.h) to measured samples, one configuration at a time.
#pragma once

#include <cstddef>
#include <span>

#include "warploom/tuner/known_formulas.h"
#include "warploom/tuner/tile_sample.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

// Robust least squares on ln time with positive coefficients, weak priors towards usual values and the number
// of resident tiles found by trial up to what the GPU allows. Deterministic. About 4 ms a configuration with
// 80 samples. Throws InvalidInput when no configuration has kFewestSamples samples, or when all samples lie
// within one wave (nothing then says what a second wave costs).
//
// Samples with narrow loads are another program's: configurations that have kFewestSamples of those and of
// others get a formula of their own for them, fitted from the first one on (WaveModel::narrow).
inline constexpr std::size_t kFewestSamples = 8;
WaveModel fit_wave_model(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples);

// The same, beginning with what is known of configurations from another GPU or an earlier measurement. How
// GPUs differ is mostly common to all configurations (rates, latencies): so much of each coordinate is found
// first, in rounds, and costs a configuration nothing. What it keeps of its own must be worth it to its
// samples. Three times the work.
WaveModel fit_wave_model(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples,
                         const KnownFormulas& known);

// Whether a model that was fitted without is what is known, to a rounding of 1/512: it was fitted to the same
// samples, and what is known has nothing to add.
bool is_known(const WaveModel& model, const KnownFormulas& known);

// What fit_wave_model without anything known finds, to be known elsewhere.
KnownFormulas formulas_of(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples);

}  // namespace warploom
