// Fits the wave model (wave_time.h) to measured samples, one configuration at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "warploom/tuner/tile_sample.h"
#include "warploom/tuner/wave_time.h"

namespace warploom {

// Samples of one configuration within one wave bucket (corners of kBucketWaves).
struct BucketFit {
  std::size_t config = 0;  // index into WaveModel::configs
  int waves = 0;           // lower corner
  std::size_t samples = 0;
  double r_squared = 0;  // of time, not of its logarithm
};

struct FittedConfig {
  TileConfig config;
  WaveCoefficients<float> coefficients;
  float residual = 0;                         // root mean square of ln(model / measured)
  float most_waves = 0, most_iterations = 0;  // sampled
};

struct WaveModel {
  TileKernel kernel;
  TileGpu gpu;
  std::vector<FittedConfig> configs;  // ascending
  std::vector<BucketFit> buckets;     // with at least four samples of different time
  std::vector<TileConfig> left_out;   // too few samples
  double median_r_squared = 0;        // over buckets
};

// Robust least squares on ln time with positive coefficients, weak priors towards usual values and the number
// of resident tiles found by trial up to what the GPU allows. Deterministic. About 4 ms a configuration with
// 80 samples. Throws InvalidInput when no configuration has kFewestSamples samples, or when all samples lie
// within one wave (nothing then says what a second wave costs).
inline constexpr std::size_t kFewestSamples = 8;
WaveModel fit_wave_model(const TileKernel& kernel, const TileGpu& gpu, std::span<const TileSample> samples);

// Predicted microseconds of configs[index] at the shape.
double predict_us(const WaveModel& model, std::size_t index, const TileShape& shape);

// Relative error to expect of a prediction at (waves, iterations): the fit's residual, growing with the
// logarithm of the distance beyond the sampled range.
double error_bound(const FittedConfig& config, double waves, double iterations);

}  // namespace warploom
