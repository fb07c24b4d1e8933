// The wave model (wave_time.h) of a kernel on a GPU: the coefficients of every configuration, and how well
// they fit.
#pragma once

#include <cstddef>
#include <vector>

#include "warploom/tuner/tile_kernel.h"
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
  // What narrow loads cost some of them (kNarrowLoads of tile_mapping.h), from samples of such rows; one
  // of each tile and warps, ascending. Empty: no such samples.
  std::vector<FittedConfig> narrow;
  // The same where stores are narrow too (kNarrowBoth). Empty: no such samples, or no narrow ones.
  std::vector<FittedConfig> both;
  std::vector<BucketFit> buckets;    // with at least four samples of different time
  std::vector<TileConfig> left_out;  // too few samples
  double median_r_squared = 0;       // over buckets
};

// Predicted microseconds of configs[index] at the shape.
double predict_us(const WaveModel& model, std::size_t index, const TileShape& shape);

// Relative error to expect of a prediction at (waves, iterations): the fit's residual, growing with the
// logarithm of the distance beyond the sampled range.
double error_bound(const FittedConfig& config, double waves, double iterations);

}  // namespace warploom
