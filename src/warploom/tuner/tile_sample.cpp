#include "warploom/tuner/tile_sample.h"

#include <fmt/format.h>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/measured_time.h"

namespace warploom {
namespace {

constexpr std::int64_t kLargestTile = 1 << 16;

class SampleFile {
 public:
  explicit SampleFile(const std::filesystem::path& path) : reader_(path) {
    for (const char* name : {"bm", "bn", "bk", "warps", "stages", "m", "n", "k", "median_us"})
      columns_.push_back(reader_.column(name));
    split_k_ = reader_.find_column("split_k");
  }

  void read_into(TileSamples& samples) {
    while (reader_.next()) {
      const bool library = reader_.integer(columns_[0]) == 0;
      TileSample sample;
      TileConfig& config = sample.config;
      std::int32_t* const fields[] = {&config.tile_m, &config.tile_n, &config.tile_k, &config.warps,
                                      &config.stages};
      for (std::size_t i = 0; i < 5; ++i)
        *fields[i] = static_cast<std::int32_t>(number(columns_[i], library ? 0 : 1, kLargestTile));
      if (split_k_) config.split_k = static_cast<std::int32_t>(number(*split_k_, 1, kLargestTile));
      constexpr std::int64_t kLargest = (std::int64_t{1} << 31) - 1;
      sample.shape = {.m = number(columns_[5], 1, kLargest),
                      .n = number(columns_[6], 1, kLargest),
                      .k = number(columns_[7], 1, kLargest)};
      sample.median_us = measured_time(reader_, columns_[8], kMicroseconds);
      (library ? samples.library : samples.rows).push_back(sample);
    }
  }

 private:
  std::string where(std::size_t column) const {
    return fmt::format("{} '{}'", reader_.where(column), reader_.cell(column));
  }
  std::int64_t number(std::size_t column, std::int64_t low, std::int64_t high) {
    const std::int64_t value = reader_.integer(column);
    if (value < low || value > high)
      throw InvalidInput(fmt::format("{}, expected {} to {}", where(column), low, high));
    return value;
  }

  CsvReader reader_;
  std::vector<std::size_t> columns_;
  std::optional<std::size_t> split_k_;
};

}  // namespace

TileSamples read_tile_samples(std::span<const std::filesystem::path> paths) {
  TileSamples samples;
  std::string names;
  for (const auto& path : paths) {
    SampleFile(path).read_into(samples);
    names += (names.empty() ? "" : ", ") + path.string();
  }
  if (samples.rows.empty())
    throw InvalidInput(fmt::format("{}: no measured configuration, expected at least one row", names));
  return samples;
}

void check_shape(const TileShape& shape, std::string_view where) {
  constexpr std::int64_t kEnd = std::int64_t{1} << 31;
  const std::pair<const char*, std::int64_t> parts[] = {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}};
  for (const auto& [name, value] : parts) {
    if (value < 1 || value >= kEnd)
      throw InvalidInput(fmt::format("{}: {} is {}, expected 1 to 2147483647", where, name, value));
  }
}

}  // namespace warploom
