// Two tile configurations whose times follow the tuner's own formula, for tests of fits and tables.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "warploom/tuner/tile_mapping.h"
#include "warploom/tuner/time_correction.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {

inline constexpr TileConfig kSmallTile{64, 64, 64, 4, 4, 1}, kLargeTile{128, 128, 64, 8, 3, 1};

// Times that follow the model's own formula: large tiles have the better rate, small ones the finer grid.
inline double two_tile_time(const TileShape& shape, const TileConfig& config) {
  WaveCoefficients<double> c{.slots = config == kSmallTile ? 2.0 : 1.0};
  c.launch = 2;
  c.latency_base = 0.3;
  c.latency_cold = 0.1;
  c.math = config == kSmallTile ? 0.15 : 0.4;
  c.round = 0.5;
  c.tile = 0.3;
  c.dram = 0.25;
  c.write_cost = 1;
  return wave_time(c, tile_work({}, {}, shape, config));
}

inline std::vector<TileSample> two_tile_samples() {
  std::vector<TileSample> samples;
  for (const TileConfig& config : {kSmallTile, kLargeTile})
    for (const std::int64_t rows : {1, 4, 12})
      for (const std::int64_t columns : {4, 12, 33, 66, 99})
        for (const std::int64_t loops : {4, 16, 64, 128}) {
          const TileShape shape{rows * config.tile_m, columns * config.tile_n, loops * config.tile_k};
          samples.push_back({config, shape, two_tile_time(shape, config)});
        }
  return samples;
}

// Sets the configurations apart by the shape, so that cells learn biases.
class ApartByShape final : public TimeCorrection {
 public:
  void log_ratios(const TileKernel&, std::span<const CorrectionQuery> queries,
                  std::span<float> out) const override {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const auto rows = static_cast<float>(queries[i].shape.m);
      out[i] = (queries[i].config->config == kLargeTile ? 0.3F : -0.1F) * std::sin(std::log2(rows));
    }
  }
};

}  // namespace warploom
