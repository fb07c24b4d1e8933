// A grid over shapes, two cells an octave and axis: which cell a shape falls into, and where cells lie.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "warploom/tuner/tile_kernel.h"

namespace warploom {

// Half octaves: 0 -> 0, 1 -> 1, 2 -> 2, 3 -> 3, 4 and 5 -> 4, 6 and 7 -> 5, ...
inline int half_octave(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value < 1 ? 0 : value);
  const int octave = 63 - std::countl_zero(bits | 1);
  return octave > 0 ? 2 * octave + static_cast<int>((bits >> (octave - 1)) & 1) : static_cast<int>(bits);
}
// First value of a half octave; the inverse of half_octave.
inline std::int64_t half_octave_start(int index) {
  if (index < 2) return index;
  const std::int64_t base = std::int64_t{1} << (index / 2);
  return index % 2 == 0 ? base : base + base / 2;
}

// An axis is cut just above powers of two: 128 needs as many tiles as 97 and fewer than 129. One row has a
// cell of its own: every row of its tiles is the same one.
struct ShapeCells {
  // First half octave (of the value less one) and number of them, for m, n, k. Shapes beyond fall into the
  // outermost cell.
  std::array<std::int32_t, 3> first{}, count{};

  std::size_t size() const { return std::size_t(count[0]) * std::size_t(count[1]) * std::size_t(count[2]); }
  std::size_t cell(const TileShape& shape) const {
    return (position(0, shape.m) * std::size_t(count[1]) + position(1, shape.n)) * std::size_t(count[2]) +
           position(2, shape.k);
  }
  // Half octaves of a cell, one an axis.
  std::array<int, 3> corner(std::size_t cell) const {
    const auto n = std::size_t(count[1]), k = std::size_t(count[2]);
    return {first[0] + int(cell / (n * k)), first[1] + int(cell / k % n), first[2] + int(cell % k)};
  }

  // The shapes that engines ask for, by kind of kernel.
  static ShapeCells of(TileKernelKind kind) {
    switch (kind) {
      case TileKernelKind::Attention:
        return {{0, 0, 0}, {36, 36, 26}};
      case TileKernelKind::PagedDecode:
        return {{0, 0, 0}, {24, 36, 20}};
      case TileKernelKind::GroupedGemm:
        return {{0, 13, 13}, {32, 17, 17}};
      default:
        return {{0, 12, 10}, {30, 18, 20}};
    }
  }

 private:
  std::size_t position(std::size_t axis, std::int64_t value) const {
    const int index = half_octave(value - 1) - first[axis];
    return static_cast<std::size_t>(index < 0 ? 0 : index >= count[axis] ? count[axis] - 1 : index);
  }
};

}  // namespace warploom
