// Measured residuals ln(latency / base) of one family, found by cell and grid point in O(1).
//
// About 6.5 bytes a row: rows sorted by a 64-bit hash of cell and point, of which 32 bits are kept, the
// residual as a 16-bit multiple of kResidualStep, and one offset per eight rows. A lookup of a point that was
// never measured answers by mistake with probability about 2e-9.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "warploom/kernels/operator_grid.h"

namespace warploom {

class ByteReader;
class ByteWriter;

// 0.03 %; the range is +-8, where a base is off by a factor of 3,000.
inline constexpr double kResidualStep = 1.0 / 4096;

// The hash of a cell's point, in a form where changing one coordinate takes two operations.
class PointKey {
 public:
  PointKey(std::uint32_t cell, const GridPoint& point);
  // The key with coordinate `axis` at `value` instead of `from`.
  PointKey moved(std::size_t axis, std::int64_t from, std::int64_t value) const;
  std::uint64_t hash() const;

 private:
  std::uint64_t sum_ = 0;
};

class ResidualTable {
 public:
  struct Entry {
    std::uint32_t cell = 0;
    GridPoint point;
    float residual = 0;
  };
  ResidualTable() = default;
  // Several entries of one cell and point (repeats) become their median. `cells` is the number of cells.
  // Entries without axes are left out. O(n log n).
  ResidualTable(std::span<const Entry> entries, std::uint32_t cells);

  // The residual, or nothing when this point was not measured.
  std::optional<float> find(const PointKey& key) const;

  // The distinct coordinates of a cell along an axis, ascending. Empty for cells and axes without any.
  std::span<const std::int64_t> coordinates(std::uint32_t cell, std::size_t axis) const;

  std::size_t size() const { return residuals_.size(); }

  void write(ByteWriter& out) const;
  // Throws InvalidInput (through the reader) on records that do not fit together.
  static ResidualTable read(ByteReader& in);

 private:
  void index_hashes(std::span<const std::uint64_t> hashes);
  std::uint32_t bucket_shift_ = 63;
  std::vector<std::uint32_t> bucket_start_;  // one more than buckets
  std::vector<std::uint32_t> fingerprints_;  // low 32 bits of the hash
  std::vector<std::int16_t> residuals_;
  std::vector<std::uint32_t> axis_start_;  // by cell * kMaxAxes + axis; one more
  std::vector<std::int64_t> axis_values_;
};

}  // namespace warploom
