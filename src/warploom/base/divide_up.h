// Whole parts that hold a number of things: the quotient, rounded up.
#pragma once

#include <cstdint>

namespace warploom {

// For a, b > 0.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace warploom
