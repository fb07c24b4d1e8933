// Which rows a model may learn from and which it is judged on.
//
// A shape is held out by its shape_hash alone, never by GPU, framework, version or residency: the same shape
// is in the test set on every GPU, so a model cannot learn its answer from a sibling GPU or an older release.
// The hash is fixed for all platforms and releases, hence figures of different versions compare.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"

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

// Row indices, each list ascending.
struct RowSplit {
  std::vector<std::uint32_t> train, test;
};

RowSplit split_by_shape(const Dataset& dataset, std::span<const std::uint32_t> rows, const ShapeSplit& split);

// Test = rows of these GPUs (canonical names).
RowSplit split_by_gpu(const Dataset& dataset, std::span<const std::uint32_t> rows,
                      std::span<const std::string> gpus);

// Test = rows of every GPU of a generation. Throws NotFound when the catalog lacks a GPU of the data set.
RowSplit split_by_generation(const Dataset& dataset, std::span<const std::uint32_t> rows,
                             const GpuCatalog& catalog, Generation generation);

// `count` rows of `rows` spread evenly over the shapes (all when there are fewer), for few-shot training:
// those with the smallest shape_position. Ascending. O(n log n).
std::vector<std::uint32_t> sample_rows(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                       std::size_t count, std::uint64_t seed = 0);

}  // namespace warploom
