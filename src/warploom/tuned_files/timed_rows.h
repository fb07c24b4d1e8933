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

// Whether the files' kernel can be timed: an engine's experts without expert parallelism, block products, and
// vLLM's states and adapters of dense layers.
bool may_time(const TunedFile& file);

// CSV for python/warploom/tuned_profile.py: kernel, bytes (of an operand), experts, top_k, n, k (of experts:
// width on a GPU and hidden), block_n, block_k, tokens, bm, bn, bk, warps, stages, group, parts, variant: a
// key's configurations and the engine's defaults at the token counts that look it up. States have n, k: rows
// and columns of a head's; tokens: pairs of a sequence and a head. Adapters have experts: adapters; top_k:
// slices; block_n: columns of all slices on the output's side. Throws as key_launches.
std::string timing_plan(std::span<const TunedFile> files, MoeEngine engine, const GpuSpec& gpu,
                        const ConfigModel& searches);

// Which launches of a kernel, where it has several kinds.
enum class LaunchVariant { Plain, Shrink, Expand, ExpandAdding };
template <>
struct EnumNames<LaunchVariant> {
  static constexpr std::array<std::pair<LaunchVariant, std::string_view>, 4> kNames{
      {{LaunchVariant::Plain, "plain"},
       {LaunchVariant::Shrink, "shrink"},
       {LaunchVariant::Expand, "expand"},
       {LaunchVariant::ExpandAdding, "expand_adding"}}};
};

// One row of what tuned_profile.py wrote: the plan's columns, median_us, and gpu, its driver's name. Times
// from before the columns parts and variant have one part and the plain kind.
struct LaunchTime {
  TunedKernel kernel = TunedKernel::BlockProduct;
  std::int64_t bytes = 1, experts = 0, top_k = 0, n = 1, k = 1, block_n = 0, block_k = 0;  // as in the plan
  LaunchVariant variant = LaunchVariant::Plain;
  std::int64_t tokens = 1;
  MoeConfig config;
  double us = 0;  // one product, or both of experts

  // What tells one kernel's times from another's: all up to `tokens`.
  using Sizes = std::array<std::int64_t, 9>;
  Sizes sizes() const;
  // Whether the time is of the file's kernel, whose sizes are the same at every key.
  bool is_of(const TunedFile& file) const;
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
  const KeyTimes* of(const LaunchTime::Sizes& sizes) const;
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
