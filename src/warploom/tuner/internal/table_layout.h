// The bytes of a runtime table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/tuner/shape_cells.h"
#include "warploom/tuner/table_options.h"
#include "warploom/tuner/tile_mapping.h"
#include "warploom/tuner/wave_model.h"
#include "warploom/tuner/wave_time.h"

namespace warploom {

struct TableHeader {
  char magic[8];
  std::uint32_t major, minor;
  std::uint64_t total_bytes;
  std::uint64_t checksum;  // XXH64 of everything after this field
  std::uint32_t config_count, default_index;
  std::int32_t first[3], count[3];
  std::uint64_t configs_at, cells_at, text_at, text_bytes;
  std::uint64_t narrow_count;  // of config_count: those behind the configurations, for narrow loads
  std::uint64_t both_count;    // and behind these, for narrow loads and stores
  std::uint64_t reserved[1];
};
static_assert(sizeof(TableHeader) == 120);

struct ConfigRecord {
  TileConfig config;
  ConfigConstants constants;
  WaveCoefficients<float> coefficients;
  float residual, most_waves,
      most_iterations;  // the three that make whole groups of four of the coefficients
};
static_assert(std::is_trivially_copyable_v<ConfigRecord>);
static_assert(offsetof(ConfigRecord, residual) == offsetof(ConfigRecord, coefficients) + 25 * sizeof(float));

// A candidate of a cell: nine bits of configuration and seven of a bias that corrects its predicted time
// against the cell's other candidates.
inline constexpr std::size_t kMostCandidates = 7, kMostConfigs = 512;
// Narrow loads set tiles further apart than the formula says: a coarser unit reaches further.
inline constexpr float bias_unit(int row_class) {
  return row_class == kNarrowLoads || row_class == kNarrowBoth ? 1.0F / 50 : 1.0F / 160;
}
struct Candidate {
  std::uint16_t bits = 0;

  static Candidate of(std::size_t config, float factor, float unit) {
    const float steps = std::clamp(std::round((factor - 1) / unit), -kZero, 127 - kZero);
    return {static_cast<std::uint16_t>(config | static_cast<std::size_t>(steps + kZero) << 9)};
  }
  std::size_t config() const { return bits & 511U; }
  float factor(float unit) const { return 1 + unit * (static_cast<float>(bits >> 9) - kZero); }
  bool operator==(const Candidate&) const = default;

  static constexpr float kZero = 48;
};
// The first candidate is repeated where there are fewer. All times of a cell are corrected by its scale too,
// which decides nothing and makes predictions right: narrow loads run several times slower than the formula.
struct TableCell {
  Candidate candidates[kMostCandidates];
  std::uint16_t scale_steps = 0;

  static constexpr float kScaleUnit = 1.0F / 2048;
  void set_scale(float scale) {
    scale_steps = static_cast<std::uint16_t>(std::clamp(std::round(scale / kScaleUnit), 1.0F, 65535.0F));
  }
  float scale() const { return kScaleUnit * static_cast<float>(scale_steps); }
};
static_assert(sizeof(TableCell) == 16);

// Immutable bytes of at most a megabyte. A file's are read, not mapped: who cut or overwrote a mapped file
// would end the program, or change its answers.
class TableBytes {
 public:
  explicit TableBytes(std::string held) : held_(std::move(held)) {}
  TableBytes(const TableBytes&) = delete;
  TableBytes& operator=(const TableBytes&) = delete;
  std::string_view view() const { return held_; }

 private:
  std::string held_;
};

// Views into checked bytes, and the provenance.
struct TableLayout {
  // Throws as RuntimeTable::open does.
  TableLayout(std::unique_ptr<const TableBytes> source, std::string_view where);

  std::unique_ptr<const TableBytes> block;
  const TableHeader* header;
  std::span<const ConfigRecord> records;  // what candidates name
  std::span<const ConfigRecord> configs;  // the first of them; the others are of the same, for narrow loads
  std::vector<std::uint16_t> listed;      // of each record its configuration's place in `configs`
  // Each configuration's record for narrow loads, else its own; `both`: and for narrow stores.
  std::vector<std::uint16_t> narrow, both;
  std::span<const TableCell> cells;
  ShapeCells grid;
  std::size_t both_at = 0;  // where the records of kNarrowBoth begin: its cells count from there on
  int row_classes = 1;      // cells come class by class
  bool splits_k = false;    // some configuration does
  TileKernel kernel;
  TileGpu gpu;
  double median_r_squared = 0;
  TableTier tier = TableTier::Measured;
  MappingConstants mapping;

  int row_class(const TileShape& shape) const {
    return row_class_of(kernel, shape, row_classes > kNarrowBoth);
  }
  // The record of the class that a candidate of its cells names.
  std::size_t record_of(int row_class, Candidate candidate) const {
    return (row_class == kNarrowBoth ? both_at : 0) + candidate.config();
  }

 private:
  void list_records(std::string_view where);
};

// Which record says what a configuration takes at the shape.
inline std::size_t record_at(const TableLayout& layout, const TileShape& shape, std::size_t config) {
  if (layout.records.size() == layout.configs.size()) return config;
  const int row_class = layout.row_class(shape);
  if (row_class == kNarrowBoth) return layout.both[config];
  return row_class == kNarrowLoads ? layout.narrow[config] : config;
}

// The bytes of a table, with header and checksum.
std::string table_bytes(const WaveModel& model, const TableOptions& options, const ShapeCells& grid,
                        std::uint32_t default_index, std::span<const TableCell> cells);

// A saving below this share of the default's time is noise: the default stays. Source: repeats of one timing
// on an H200 differ by 0.7 % in the median and 2.5 % at the 95th percentile.
inline constexpr float kDefaultMargin = 0.98F;

}  // namespace warploom
