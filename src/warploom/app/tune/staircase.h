// Use case `tune show`, the wave staircase: predicted time of configurations as the grid grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {

struct StaircasePoint {
  TileShape shape;
  TilePick chosen;
  double default_us = 0;  // predicted, of the default configuration
};
// `count` shapes with m from 1 to most_m, evenly in logarithm; n and k fixed. Throws InvalidInput.
std::vector<StaircasePoint> staircase(const RuntimeTable& table, std::int64_t most_m, std::int64_t n,
                                      std::int64_t k, std::size_t count);

struct TuneShowRequest {
  std::filesystem::path table;
  std::int64_t m = 4096, n = 4096, k = 4096;   // m: the largest
  std::vector<std::filesystem::path> samples;  // measured times; those of this n and k are shown
  static FieldTable describe();
};

struct TuneShowResult {
  RuntimeTable table;
  std::int64_t n = 0, k = 0;
  std::vector<StaircasePoint> points;
  std::vector<TileSample> measured;  // of the configuration that the table chooses at their shape
};

// Throws what RuntimeTable::open, staircase and read_tile_samples throw.
TuneShowResult tune_show(const TuneShowRequest& request);

}  // namespace warploom
