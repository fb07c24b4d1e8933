// Measured rows that are far slower than their surroundings allow: a pause or a compilation inside a timing.
#pragma once

#include <cstddef>
#include <vector>

#include "warploom/measurements/dataset.h"

namespace warploom {

struct SlowRowLimits {
  // A row is suspected when it takes more than this many times the longer of its two neighbours in one size;
  // 0: nothing is looked for.
  double times_neighbours = 0;
  // It is cleared when in another size it takes less than this many times the longer neighbour, or the only
  // one: tiles that are half empty are so for every value of the other sizes.
  double times_calm = 1.5;
  double farthest_neighbour = 4;  // a neighbour's size, times the row's or divided by it
};

// Rows, ascending, that are suspected and that no other row clears. Neighbours are rows of the same GPU,
// context and marks that differ in one size of the operator alone: m, n or k; tokens; requests, new or cached
// tokens, heads; rows, width; sequences. A row is cleared too where another version or GPU shows at least
// half of the excess between the same two operators, in the same framework. Rows of collectives are not
// looked at: their algorithm changes with the size. O(n log n); memory 24 bytes a row of the largest family.
std::vector<std::uint32_t> find_slow_rows(const Dataset& dataset, const SlowRowLimits& limits);

}  // namespace warploom
