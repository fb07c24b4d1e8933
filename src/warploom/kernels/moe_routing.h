// How token-expert pairs fall on the experts of one GPU.
#pragma once

#include <cstdint>
#include <memory>

#include "warploom/kernels/operator.h"
#include "warploom/kernels/routing_load.h"

namespace warploom {

// Deterministic. Balanced: with s = ceil(E/k), slot j of token t goes to expert (t + j s) mod E (for T < s
// tokens spread as floor(t s / T)); exact, O(E k). Power law: per expert an independent draw of density
// x^-alpha on [1, 0.8 T] (on [0.01, 2] when T k <= E), scaled to T k pairs and clipped to T; the mean of 4
// stratified draws (each in 4 orders under EP), O(16 E). The rules are those of the public measurements.
// Uniform: uniform_routing.h.
RoutingLoad routing_load(const FusedMoe& op);

// Whether every expert has as many pairs as any other, but for one: balanced, or a power law without a skew.
bool routes_evenly(const FusedMoe& op);

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
