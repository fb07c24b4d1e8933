// Which rows a model may learn from and which it is judged on.
//
// A shape is held out by its shape_hash alone, never by GPU, framework, version or residency: the same shape
// is in the test set on every GPU, so a model cannot learn its answer from a sibling GPU or an older release.
// The hash is fixed for all platforms and releases, hence figures of different versions compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warploom {

// Uniform in [0, 1), fixed by the shape and the seed.
double shape_position(std::uint64_t shape, std::uint64_t seed = 0);

// The shape is in the test set: shape_position < test_fraction.
struct ShapeSplit {
  double test_fraction = 0.1;
  std::uint64_t seed = 0;
  bool is_test(std::uint64_t shape) const { return shape_position(shape, seed) < test_fraction; }
};

// 0 <= fold < folds, for cross-validation; independent of ShapeSplit for an equal seed. folds >= 1.
std::uint32_t shape_fold(std::uint64_t shape, std::uint32_t folds, std::uint64_t seed = 0);

// The group of a row, below the number of groups; a number in [0, 1) that is fixed for a row and even over
// all.
using RowGroup = std::function<std::size_t(std::uint32_t)>;
using RowPosition = std::function<double(std::uint32_t)>;

std::vector<std::size_t> count_by_group(std::span<const std::uint32_t> rows, const RowGroup& group,
                                        std::size_t groups);

// Thins each group of rows to about `most` out of counts[group]: a row stays when its position is below
// most / counts[group]. Keeps the order. A smaller `most` keeps a part of what a larger one keeps.
std::vector<std::uint32_t> thin_by_group(std::span<const std::uint32_t> rows, const RowGroup& group,
                                         std::span<const std::size_t> counts, const RowPosition& position,
                                         std::size_t most);

// Uniform in [0, 1), from the upper bits of a hash.
constexpr double hash_position(std::uint64_t hash) { return double(hash >> 11) * 0x1.0p-53; }

}  // namespace warploom
