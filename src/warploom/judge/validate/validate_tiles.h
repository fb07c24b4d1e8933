// Use case `validate tiles`: learns a ranking of tiles from a library's choices and judges it, and simpler
// ways to guess a tile, on products kept out.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/judge/validate/tile_validation.h"

namespace warploom {

struct ValidateTilesRequest {
  std::filesystem::path data;              // tiles.csv of warploom-collect --tiles
  std::string gpu;                         // record of that GPU; empty: by the name in the file
  FileScope files = FileScope::machine();  // where names may be paths
  bool shipped = false;         // judges the ranking linked into the program instead of learning one
  std::string require_tier;     // "measured": refuse a ranking that learned nothing on the GPU; empty: none
  bool leave_out_sms = false;   // also learns without each count of SMs in turn and judges at it
  std::size_t rows = 3000;      // products that one family learns from, at most, of all counts of SMs
  std::filesystem::path write;  // file for the ranking learned; empty: none
  int threads = 0;              // 0: all
  std::function<void(std::string_view)> progress;
  static FieldTable describe();
};

// Products are judged that were timed or that one fifth of the hashes of (m, n, k) fall to; all others are
// learned from. Layout nn is judged and never learned from. Throws InvalidInput also on `shipped` with
// what only learning gives (leave_out_sms, write); Unsupported where `require_tier` leaves no choice to
// judge; NotFound, IoError.
TileValidation validate_tiles(const ValidateTilesRequest& request);

}  // namespace warploom
