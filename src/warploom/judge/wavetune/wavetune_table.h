// The published decision in two stages over two look-up tables (wavetune_model.h).
//
// Const after construction: any number of threads may pick, without locks or allocation.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/judge/wavetune/grid_loop.h"
#include "warploom/judge/wavetune/wavetune_model.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {

inline constexpr int kWaveTuneTableVersion = 1;

class WaveTuneTable {
 public:
  // Throws InvalidInput when the model has no macro configuration, or one without buckets or loop anchors.
  explicit WaveTuneTable(WaveTuneModel model);

  // A JSON document (docs/formats.md). Throws IoError; InvalidInput naming the key on anything that `write`
  // does not write; Unsupported when a newer program wrote it.
  static WaveTuneTable open(const std::filesystem::path& path);
  static WaveTuneTable from_json(const Json& document, std::string_view where);
  // Whole or not at all. Throws IoError.
  void write(const std::filesystem::path& path) const;

  // Stage 1: the least T over all macro configurations. Stage 2: the micro configuration of the nearest loop
  // anchor (by ratio) in the same bucket. A number of waves that was not sampled takes the nearest sampled
  // one's coefficients, the lower of two equally near; T itself goes on in G and L. A shape outside [1, 2^31)
  // gets the default configuration with predicted_us = 0. O(macro configurations), never throws.
  // TilePick::index counts macro configurations here.
  TilePick pick(const TileShape& shape) const noexcept;
  // A grouped GEMM whose experts have these rows each, as RuntimeTable's.
  TilePick pick(std::span<const std::int64_t> expert_rows, std::int64_t n, std::int64_t k) const noexcept;
  // The best `count` macro configurations, each with its micro configuration.
  std::vector<TilePick> best(const TileShape& shape, std::size_t count) const;
  // Whether the pick's number of waves was not sampled.
  bool extrapolated(const TileShape& shape, const TilePick& pick) const;

  const WaveTuneModel& model() const { return model_; }
  // Throws InvalidInput saying which of the two differs; an empty text matches anything.
  void require(std::string_view gpu, std::string_view kernel) const;

 private:
  // The bucket of each number of waves up to the last sampled one; beyond, the last.
  struct MacroRow {
    MacroSizes sizes;
    std::vector<std::uint32_t> bucket_of_waves;
    std::vector<BilinearTime> times;  // of the buckets
  };
  std::size_t bucket_at(const MacroRow& row, double grid) const;
  TilePick least_of(const TileShape& shape, std::span<const std::int64_t> expert_rows) const noexcept;
  TilePick with_micro(std::size_t macro, const ShapeTerms& terms, double us) const;

  WaveTuneModel model_;
  MappingConstants mapping_;
  double per_sm_;
  std::vector<MacroRow> rows_;
};

}  // namespace warploom
