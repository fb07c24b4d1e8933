// How well a tile source guesses what a library chooses: what `validate tiles` finds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warploom {

// One way to guess a tile, over the judged products of a cell. Regret: time of the guessed tile over that of
// the fastest timed one, less 1, where both were timed; NaN without.
struct TileSourceErrors {
  std::string source;                              // ranking, nearest or minimum
  double tile = 0, tile_and_split = 0, waves = 0;  // share that agrees with the library
  std::int64_t timed = 0;                          // products whose guess was timed
  double mean_regret = 0, median_regret = 0, p90_regret = 0;
  // The library's own regret on those products.
  double library_regret = 0;
};

struct TileCell {
  std::string learned;  // "all", "without 78" SMs, or "shipped"
  std::string scheme, layout;
  std::int64_t sms = 0;  // asked for; 0: every count below the GPU's own
  std::int64_t products = 0, timed_products = 0;
  std::vector<TileSourceErrors> sources;
};

struct TileValidation {
  std::string gpu, library;
  std::int64_t learned = 0, judged = 0;  // products
  double library_mean_regret = 0, library_median_regret = 0;
  std::vector<TileCell> cells;
};

}  // namespace warploom
