// What one GPU's experts are given to do.
#pragma once

#include <array>
#include <cstdint>

namespace warploom {

// Row-tile heights for which padded tile counts are kept.
inline constexpr std::array<std::int64_t, 6> kRowBlocks{8, 16, 32, 64, 128, 256};

// Expected load of the measured GPU: rank 0 under balanced routing, the busiest rank under any other.
struct RoutingLoad {
  double experts_held = 0;
  double experts_hit = 0;    // with at least one pair
  double pairs = 0;          // token-expert pairs
  double random_hit = 0;     // expected experts hit if every token chose evenly at random
  double busiest_pairs = 0;  // of the busiest expert
  std::array<double, kRowBlocks.size()> row_tiles{};  // sum over experts of ceil(pairs / kRowBlocks[i])
  double row_tiles_48 = 0;                            // the same for 48 rows, a height of Marlin's alone
};

}  // namespace warploom
