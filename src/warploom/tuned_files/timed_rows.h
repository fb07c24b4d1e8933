// Rows of tuned files from times of the engine's own kernels on the GPU: what to time, and which rows the
// times give.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/fused_moe/measured_row.h"
#include "warploom/tuned_files/sure_rows.h"

namespace warploom {

// Configurations of a key that are timed, beside the engine's defaults: those of least time by the record, or
// most voted. Source: the best of them and the best of all on two GPUs (tests/fixtures/tuner/block_products).
inline constexpr std::size_t kTimedConfigs = 12;

// Whether the files' kernel can be timed: an engine's experts without expert parallelism, or block products.
bool may_time(const TunedFile& file);

// CSV for python/warploom/tuned_profile.py: kernel, bytes (of an operand), experts, top_k, n, k (of experts:
// width on a GPU and hidden), block_n, block_k, tokens, bm, bn, bk, warps, stages, group. Each key's
// configurations and the engine's defaults at the token counts that look it up. Throws as key_launches.
std::string timing_plan(std::span<const TunedFile> files, MoeEngine engine, const GpuSpec& gpu,
                        const ConfigModel& searches);

// One row of what tuned_profile.py wrote: the plan's columns, median_us, and gpu, its driver's name.
struct LaunchTime {
  TunedKernel kernel = TunedKernel::BlockProduct;
  std::int64_t bytes = 1, experts = 0, top_k = 0, n = 1, k = 1, block_n = 0, block_k = 0;  // as in the plan
  std::int64_t tokens = 1;
  MoeConfig config;
  double us = 0;  // one product, or both of experts

  bool is_of(const TunedFile& file) const { return sizes() == sizes_of(file); }
  // What tells one kernel's times from another's: all up to `tokens`.
  using Sizes = std::array<std::int64_t, 8>;
  Sizes sizes() const;
  static Sizes sizes_of(const TunedFile& file);
};
// gzip too; what the compiler or the GPU refused is left out. Throws IoError, InvalidInput (also on times of
// another GPU than `device`, the name that its driver prints).
std::vector<LaunchTime> read_launch_times(const std::filesystem::path& path, std::string_view device);

// Times sorted by kernel, so that a file's are found without a look at all others.
class LaunchTimes {
 public:
  LaunchTimes() = default;
  explicit LaunchTimes(std::span<const LaunchTime> times);
  // By token count; nullptr: none.
  const KeyTimes* of(const TunedFile& file) const;
  bool empty() const { return by_kernel_.empty(); }

 private:
  std::map<LaunchTime::Sizes, KeyTimes> by_kernel_;
};

struct TimedRows {
  std::vector<SureRow> rows;  // one for each key by measured_row
  std::string why_none;       // for people, where there are no rows
};
// No rows when the file's kernel was not timed to its end, or none of its configurations is one that the
// record knows.
TimedRows timed_rows(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu, const ConfigModel& searches,
                     const LaunchTimes& times);

}  // namespace warploom
