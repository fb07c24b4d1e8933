#include "warploom/measurements/splits.h"

#include "warploom/base/error.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

constexpr std::uint64_t kPositionSalt = 0x5EED0001ULL, kFoldSalt = 0x5EED0002ULL;

}  // namespace

double shape_position(std::uint64_t shape, std::uint64_t seed) {
  const std::uint64_t mixed = hash_combine(hash_combine(kPositionSalt, seed), shape);
  return hash_position(mixed);
}

std::uint32_t shape_fold(std::uint64_t shape, std::uint32_t folds, std::uint64_t seed) {
  WARPLOOM_ASSERT(folds >= 1);
  return static_cast<std::uint32_t>((hash_combine(hash_combine(kFoldSalt, seed), shape) >> 11) % folds);
}

std::vector<std::size_t> count_by_group(std::span<const std::uint32_t> rows, const RowGroup& group,
                                        std::size_t groups) {
  std::vector<std::size_t> counts(groups, 0);
  for (const std::uint32_t row : rows) ++counts[group(row)];
  return counts;
}

std::vector<std::uint32_t> thin_by_group(std::span<const std::uint32_t> rows, const RowGroup& group,
                                         std::span<const std::size_t> counts, const RowPosition& position,
                                         std::size_t most) {
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t row : rows)
    if (position(row) * double(counts[group(row)]) < double(most)) kept.push_back(row);
  return kept;
}

}  // namespace warploom
