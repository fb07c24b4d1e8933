// How well a tile source guesses what a library chooses: results of `validate tiles` as text and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/base/json.h"

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

// {"gpu","library","learned","judged","library_regret":{"mean","median"},
//  "cells":[{"learned","scheme","layout","sms","products","timed_products",
//            "sources":{NAME:{"tile","tile_and_split","waves",
//                             "regret":{"products","mean","median","p90","library_mean"}}}}]};
// null where nothing was timed.
Json tile_validation_json(const TileValidation& result);
std::string tile_validation_text(const TileValidation& result);

}  // namespace warploom
