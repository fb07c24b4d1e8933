// How long a step takes whose micro-batches take turns at attention, at experts on other GPUs, and on the
// ways between them (ping-pong pipeline).
//
// Each of m micro-batches passes four places in each of L layers, always in the same order, and a place works
// on one at a time. With c the sum of the places' times and r the longest of them, the last is through after
//   max(L c + (m - 1) r,  L m r + c - r):
// either a micro-batch never waits but behind the one before it, or the slowest place never rests and the
// rest is fill. It is exact for equal layers: any path through the order of work is one of the two or a mean
// of them. Sources: MegaScale-Infer (arXiv 2504.02263), whose ping-pong pipeline hides transfers that are
// shorter than both sides; Step-3 (arXiv 2507.19427), whose stages are attention, transfer and feed-forward.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace warploom {

// Seconds of one micro-batch in all layers.
struct AfdTimes {
  double attention = 0, to_experts = 0, experts = 0, from_experts = 0;
  double in_turn() const { return attention + to_experts + experts + from_experts; }
  double slowest() const { return std::max({attention, to_experts, experts, from_experts}); }
};

// Seconds of a step of `micro_batches` over `layers`; both at least 1.
inline double afd_step_time(const AfdTimes& times, std::int64_t layers, std::int64_t micro_batches) {
  const double many = double(micro_batches), cycle = times.in_turn(), slowest = times.slowest();
  const double each = 1.0 / double(layers);
  return std::max(cycle + (many - 1) * slowest * each, many * slowest + (cycle - slowest) * each);
}

// The same where sending and receiving keep both ends from their work: what a transfer that hides nothing
// takes.
inline double afd_exposed_time(const AfdTimes& times, std::int64_t layers, std::int64_t micro_batches) {
  const double many = double(micro_batches), each = 1.0 / double(layers);
  const double ways = times.to_experts + times.from_experts, cycle = times.in_turn();
  const double slowest = std::max(times.attention, times.experts) + ways;
  return std::max(cycle + (many - 1) * slowest * each, many * slowest + (cycle - slowest) * each);
}

// What the step waits for: a place that never rests, or (latency) a micro-batch on its way through all of
// them.
inline std::string_view afd_limit(const AfdTimes& times, std::int64_t micro_batches) {
  const double slowest = times.slowest();
  if (double(micro_batches) * slowest < times.in_turn()) return "latency";
  if (slowest == times.attention) return "attention";
  return slowest == times.experts ? "feed_forward" : "transfer";
}

}  // namespace warploom
