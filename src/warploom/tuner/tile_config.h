// One way to launch a tile kernel: its tile sizes and the compiler's knobs.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace warploom {

// Macro parameters change the grid or the loop count (tile_m, tile_n, tile_k, split_k); micro parameters do
// not (warps, stages). Attention reads tile_m as query rows and tile_n as keys of one loop step.
struct TileConfig {
  std::int32_t tile_m = 128;
  std::int32_t tile_n = 128;
  std::int32_t tile_k = 64;
  std::int32_t warps = 8;
  std::int32_t stages = 3;
  std::int32_t split_k = 1;

  auto operator<=>(const TileConfig&) const = default;
};

// "128x128x64/w8/s3", with "/k4" at the end when split_k is not 1.
std::string config_text(const TileConfig& config);
// Reads what config_text writes. Throws InvalidInput naming `where` and the form expected.
TileConfig parse_config(std::string_view text, std::string_view where);
// The same macro parameters.
bool same_macro(const TileConfig& a, const TileConfig& b);
// Whether two differ in their stages alone.
bool same_but_stages(const TileConfig& a, const TileConfig& b);

}  // namespace warploom
