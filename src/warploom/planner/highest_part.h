// The highest of a number of equal parts that something keeps, where what keeps a part keeps all below.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warploom {

// From 1 to `first`, by bisection; 0 when none is kept. `first_alone`: `first` is
// asked before any other.
template <class Keeps>
std::int64_t highest_of_all(std::int64_t first, bool first_alone, const Keeps& keeps) {
  std::int64_t good = 0, bad = first + 1;
  while (bad - good > 1) {
    const std::int64_t middle = first_alone && bad == first + 1 ? first : (good + bad) / 2;
    (keeps(middle) ? good : bad) = middle;
  }
  return good;
}

// From 1 to `good`, which it is likely near: down in steps that double, then between the
// last two; 0 when none is kept.
template <class Keeps>
std::int64_t highest_below(std::int64_t good, const Keeps& keeps) {
  if (good <= 0 || keeps(good)) return good;
  std::int64_t bad = good;
  for (std::int64_t step = 1;; step *= 2) {
    good = std::max<std::int64_t>(0, bad - step);
    if (good == 0 || keeps(good)) break;
    bad = good;
  }
  while (bad - good > 1) {
    const std::int64_t middle = (good + bad) / 2;
    (keeps(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace warploom
