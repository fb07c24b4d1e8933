// Points of which no other is better in both of two ways.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warploom {

// Both to be small; negate what is to be large.
struct Tradeoff {
  double first = 0, second = 0;
  bool dominates(const Tradeoff& other) const {
    return first <= other.first && second <= other.second && (first < other.first || second < other.second);
  }
};

// Indices of the points that no other dominates, by rising `first`; of equal points the lowest index alone.
// O(n log n).
std::vector<std::size_t> pareto_front(std::span<const Tradeoff> points);

// Whether some point dominates or equals `corner`.
bool is_covered(std::span<const Tradeoff> points, const Tradeoff& corner);

}  // namespace warploom
