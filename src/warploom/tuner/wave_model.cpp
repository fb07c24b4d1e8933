#include "warploom/tuner/wave_model.h"

#include <algorithm>
#include <cmath>

#include "warploom/tuner/tile_mapping.h"

namespace warploom {

double predict_us(const WaveModel& model, std::size_t index, const TileShape& shape) {
  const FittedConfig& fitted = model.configs.at(index);
  return double(wave_time(fitted.coefficients, tile_work(model.kernel, model.gpu, shape, fitted.config)));
}

double error_bound(const FittedConfig& config, double waves, double iterations) {
  // Twice the residual covers nine in ten sampled points; each doubling beyond the samples adds one more.
  const double beyond = std::max(0.0, std::log2(waves / double(config.most_waves))) +
                        std::max(0.0, std::log2(iterations / double(config.most_iterations)));
  return double(config.residual) * (2 + beyond);
}

}  // namespace warploom
