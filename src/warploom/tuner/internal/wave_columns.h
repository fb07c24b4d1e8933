// The wave model's times of many configurations at one shape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warploom/tuner/internal/wave_lanes.h"
#include "warploom/tuner/tile_mapping.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

// Coefficients as columns, so that several configurations are worked out at once, and one mapping for all
// configurations of the same tiles.
class WaveColumns {
 public:
  WaveColumns(const WaveModel& model, const std::vector<std::uint16_t>& chosen);

  // The work of tile size i for the shape that was asked last.
  const TileWork& work(std::size_t i) const { return works_[macro_of_[i]]; }
  // out[i] in us; `out` must have room for all.
  void times(const TileShape& shape, float* out);

 private:
  MappingConstants mapping_;
  std::size_t size_;
  std::vector<TileConfig> macros_;
  std::vector<ConfigConstants> constants_;
  std::vector<std::size_t> macro_of_;
  std::vector<TileWork> works_;
  std::array<std::vector<float>, kCoefficientColumns> coefficients_;
  std::array<std::vector<float>, kWorkColumns> work_;
  std::vector<float> times_;
};

}  // namespace warploom
