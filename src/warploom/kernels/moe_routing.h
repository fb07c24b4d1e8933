// How token-expert pairs fall on the experts of one GPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "warploom/kernels/operator.h"

namespace warploom {

// Row-tile heights for which padded tile counts are kept.
inline constexpr std::array<std::int64_t, 6> kRowBlocks{8, 16, 32, 64, 128, 256};

// Expected load of the measured GPU: rank 0 under balanced routing, the busiest rank under power-law routing.
struct RoutingLoad {
  double experts_held = 0;
  double experts_hit = 0;    // with at least one pair
  double pairs = 0;          // token-expert pairs
  double random_hit = 0;     // expected experts hit if every token chose evenly at random
  double busiest_pairs = 0;  // of the busiest expert
  std::array<double, kRowBlocks.size()> row_tiles{};  // sum over experts of ceil(pairs / kRowBlocks[i])
  double row_tiles_48 = 0;                            // the same for 48 rows, a height of Marlin's alone
};

// Deterministic. Balanced: with s = ceil(E/k), slot j of token t goes to expert (t + j s) mod E (for T < s
// tokens spread as floor(t s / T)); exact, O(E k). Power law: per expert an independent draw of density
// x^-alpha on [1, 0.8 T] (on [0.01, 2] when T k <= E), scaled to T k pairs and clipped to T; the mean of 4
// stratified draws (each in 4 orders under EP), O(16 E). The rules are those of the public measurements.
RoutingLoad routing_load(const FusedMoe& op);

// Expected experts hit on one GPU when tokens choose top_k experts evenly at random: (E / ep) (1 - (1 -
// k/E)^T). Some benchmarks route so where they say balanced. O(1).
double random_experts_hit(const FusedMoe& op);

// Remembers loads; routing_load of power laws takes tens of microseconds. Thread-safe.
class RoutingCache {
 public:
  RoutingCache();
  ~RoutingCache();
  RoutingCache(RoutingCache&&) noexcept;
  RoutingCache& operator=(RoutingCache&&) noexcept;

  RoutingLoad find(const FusedMoe& op) const;

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace warploom
