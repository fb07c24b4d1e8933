// The look-up that a kernel asks at every launch: shape in, configuration out, without search.
//
// A cell of shapes (shape_cells.h) lists the few configurations that the model finds best somewhere inside
// it; a pick evaluates those alone. A table is one block of memory, the same in a file and in use:
//   header | configurations (tile sizes, coefficients) | cells | provenance (JSON text)
// little-endian, records of fixed size, XXH64 over all of it. At most 1 MB.
//
// Const after opening: any number of threads may pick, without locks or allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/tuner/table_options.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

inline constexpr std::uint32_t kTuneTableMajor = 6;
// Tables that say nothing of narrow loads: the same bytes, which older programs read.
inline constexpr std::uint32_t kWideTableMajor = 4;
// Tables that say nothing of narrow loads with narrow stores: likewise.
inline constexpr std::uint32_t kNarrowTableMajor = 5;
inline constexpr std::uint32_t kTuneTableMinor = 0;

// Candidates that are predicted to take this share longer than the pick are not worth a measurement. Source:
// sets that nothing is judged on; 0.05 gains two thirds as much, 0.15 nothing more (decision 0138).
inline constexpr float kUnsure = 0.10F;

// A timing that is expected to shorten a launch by less than this share is not worth it: ten replays of it
// are earned back after some 3,000 launches. Source: decision 0165.
inline constexpr double kWorthATiming = 0.003;
// Predicted to take this many times as long as the pick: never worth one.
inline constexpr float kNeverBest = 1.4F;

struct TableLayout;     // internal/table_layout.h
struct ExpertProducts;  // expert_products.h

struct TilePick {
  TileConfig config;
  float predicted_us = 0;
  bool is_default = false;  // the kernel's own default, kept because nothing is clearly better
  std::uint32_t index = 0;  // of the configuration in configs()
};

struct TimedTile {
  TileConfig config;
  double us = 0;  // infinite or below 0: it does not run
};

class RuntimeTable {
 public:
  // Finds the candidates of every cell. A few seconds of CPU for 300 configurations, on all cores.
  // Deterministic.
  static RuntimeTable build(const WaveModel& model, const TableOptions& options = {});

  // Reads the file. Throws IoError when it cannot be read; InvalidInput when it is no table, truncated or its
  // checksum is wrong; Unsupported when a newer program wrote it.
  static RuntimeTable open(const std::filesystem::path& path);
  static RuntimeTable from_bytes(std::string_view bytes, std::string_view where);
  // Whole or not at all. Throws IoError.
  void write(const std::filesystem::path& path) const;
  std::string_view bytes() const;

  // The configuration with the least predicted time. A shape outside [1, 2^31) gets the default configuration
  // with predicted_us = 0. O(candidates of one cell), never throws.
  TilePick pick(const TileShape& shape) const noexcept;
  // A grouped GEMM whose experts have these rows each; n and k as of its shape. Rows below 1 count as none. A
  // table of another kind, or no rows at all, gets the default configuration with predicted_us = 0.
  // O(candidates x experts), never throws.
  TilePick pick(std::span<const std::int64_t> expert_rows, std::int64_t n, std::int64_t k) const noexcept;
  // For both products of a layer of experts, whose dimensions are in range: the configuration of least time
  // together, of all those without parts of k (none: nothing), and the times of two by their indices.
  // O(configurations) and O(1), without allocation.
  std::optional<std::uint32_t> least_of_both(const ExpertProducts& products) const noexcept;
  std::array<float, 2> times_of_both(const ExpertProducts& products,
                                     const std::array<std::uint32_t, 2>& configs) const noexcept;
  // Microseconds of both products; nothing when the configuration is not in the table.
  std::optional<double> time_of_both(const ExpertProducts& products, const TileConfig& config) const noexcept;
  // What a caller may measure once, `count` of all configurations: the pick, then of the cell's candidates
  // the fastest of each other tile (configurations of one tile err together), then the rest by predicted
  // time.
  std::vector<TilePick> best(const TileShape& shape, std::size_t count) const;
  // Which configuration to time next at the shape, after those that were; nothing when no timing is worth it
  // any more. First the pick, then the cell's fastest of another tile where it is predicted within kUnsure,
  // then the configuration whose timing may be expected to gain most, by what was measured so far
  // (internal/expected_gain.h). Those in `timed` that the table does not know, or that do not run, say
  // nothing.
  // O(configurations x timed^2).
  std::optional<TilePick> next_to_time(const TileShape& shape, std::span<const TimedTile> timed) const;
  // Predicted microseconds, as `pick` and `best` give them; nothing when the configuration is not in the
  // table.
  std::optional<double> predict_us(const TileShape& shape, const TileConfig& config) const;

  // Relative error to expect of a pick's predicted time (error_bound of wave_fit.h).
  double error_bound(const TileShape& shape, const TilePick& pick) const;

  const TileKernel& kernel() const;
  const TileGpu& gpu() const;
  TileConfig default_config() const;
  std::vector<FittedConfig> configs() const;
  double median_r_squared() const;
  TableTier tier() const;
  // Cells and the mean number of configurations in one.
  std::size_t cells() const;
  double mean_candidates() const;

  // Throws InvalidInput saying which of the two differs; an empty text matches anything. For callers that
  // must not use a table of another GPU or kernel.
  void require(std::string_view gpu, std::string_view kernel) const;

 private:
  explicit RuntimeTable(std::shared_ptr<const TableLayout> layout) : layout_(std::move(layout)) {}

  std::shared_ptr<const TableLayout> layout_;
};

}  // namespace warploom
