#include "warploom/measurements/splits.h"

#include <algorithm>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

constexpr std::uint64_t kPositionSalt = 0x5EED0001ULL, kFoldSalt = 0x5EED0002ULL;

template <class Test>
RowSplit split_where(std::span<const std::uint32_t> rows, Test is_test) {
  RowSplit split;
  for (const std::uint32_t row : rows) (is_test(row) ? split.test : split.train).push_back(row);
  return split;
}

}  // namespace

double shape_position(std::uint64_t shape, std::uint64_t seed) {
  const std::uint64_t mixed = hash_combine(hash_combine(kPositionSalt, seed), shape);
  return double(mixed >> 11) * 0x1.0p-53;
}

std::uint32_t shape_fold(std::uint64_t shape, std::uint32_t folds, std::uint64_t seed) {
  WARPLOOM_ASSERT(folds >= 1);
  return static_cast<std::uint32_t>((hash_combine(hash_combine(kFoldSalt, seed), shape) >> 11) % folds);
}

RowSplit split_by_shape(const Dataset& dataset, std::span<const std::uint32_t> rows,
                        const ShapeSplit& split) {
  return split_where(rows, [&](std::uint32_t row) { return split.is_test(dataset.shape(row)); });
}

RowSplit split_by_gpu(const Dataset& dataset, std::span<const std::uint32_t> rows,
                      std::span<const std::string> gpus) {
  return split_where(rows, [&](std::uint32_t row) {
    return std::find(gpus.begin(), gpus.end(), dataset.gpu(row)) != gpus.end();
  });
}

RowSplit split_by_generation(const Dataset& dataset, std::span<const std::uint32_t> rows,
                             const GpuCatalog& catalog, Generation generation) {
  std::vector<bool> is_test;
  for (const std::string& name : dataset.gpus())
    is_test.push_back(catalog.get(name).generation == generation);
  return split_where(rows, [&](std::uint32_t row) { return is_test[dataset.gpu_index(row)]; });
}

std::vector<std::uint32_t> sample_rows(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                       std::size_t count, std::uint64_t seed) {
  std::vector<std::pair<double, std::uint32_t>> order;
  order.reserve(rows.size());
  for (const std::uint32_t row : rows) order.emplace_back(shape_position(dataset.shape(row), seed), row);
  count = std::min(count, order.size());
  std::nth_element(order.begin(), order.begin() + std::ptrdiff_t(count), order.end());
  std::vector<std::uint32_t> sample;
  for (std::size_t i = 0; i < count; ++i) sample.push_back(order[i].second);
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace warploom
