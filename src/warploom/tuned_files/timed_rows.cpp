#include "warploom/tuned_files/timed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/measured_time.h"
#include "warploom/fused_moe/voted_configs.h"
#include "warploom/tuned_files/key_launches.h"

namespace warploom {
namespace {

// Each of these keys is a launch's own size: no other launch looks it up.
bool has_keys_alone(const TunedFile& file) { return file.state || file.adapters; }

// Sizes of the kernel at a key, as the plan and its times name them; none: nothing is launched so.
std::optional<LaunchTime> adapter_sizes(const TunedFile& file, const KeyLaunches& launches) {
  const AdapterFile& adapters = *file.adapters;
  const std::int64_t slices = launches.above.at(1), k = launches.below.at(0), n = launches.below.at(1);
  for (const AdapterProduct& product : adapters.products)
    if (product.slices == slices && product.k == k && product.n == n)
      return LaunchTime{.kernel = file.kernel,
                        .bytes = 2,
                        .experts = adapters.adapters,
                        .top_k = slices,
                        .n = n,
                        .k = k,
                        .block_n = product.outputs,
                        .variant = adapters.shrinks ? LaunchVariant::Shrink
                                   : adapters.adds  ? LaunchVariant::ExpandAdding
                                                    : LaunchVariant::Expand,
                        .config = {}};
  return std::nullopt;
}

// Sizes of the file's kernel where they are the same at every key.
LaunchTime plan_sizes(const TunedFile& file) {
  if (file.state)
    return {.kernel = file.kernel,
            .bytes = file.state->state_bytes,
            .n = file.state->head_dim,
            .k = file.state->state,
            .config = {}};
  if (file.product)
    return {.kernel = file.kernel,
            .n = file.product->n,
            .k = file.product->k,
            .block_n = file.product->block_n,
            .block_k = file.product->block_k,
            .config = {}};
  const MoeLayer& layer = *file.layer;
  return {.kernel = file.kernel,
          .bytes = layer.dtype == MoeDtype::Bits16 ? 2 : 1,
          .experts = layer.experts,
          .top_k = layer.top_k,
          .n = layer.width(),
          .k = layer.hidden,
          .block_n = layer.block_n,
          .block_k = layer.block_k,
          .config = {}};
}

std::optional<LaunchTime> plan_sizes(const TunedFile& file, const KeyLaunches& launches) {
  return file.adapters ? adapter_sizes(file, launches) : plan_sizes(file);
}

// Tokens at which the key's configurations are timed.
std::vector<std::int64_t> timed_tokens(const TunedFile& file, const KeyLaunches& launches,
                                       std::size_t place) {
  return has_keys_alone(file) ? std::vector{launches.key} : judged_tokens(place);
}

MoeConfig usual_launch(const TunedFile& file, MoeEngine engine, const KeyLaunches& launches,
                       std::int64_t tokens) {
  return has_keys_alone(file) ? launches.usual : default_launch(file, engine, tokens);
}

// Places of the configurations to time, ascending by modelled time; voted ones stand in their order already.
std::vector<std::size_t> chosen(const TunedFile& file, const KeyLaunches& launches) {
  std::vector<std::size_t> places(launches.configs.size());
  std::iota(places.begin(), places.end(), std::size_t(0));
  if (!file.layer || file.layer->dtype != MoeDtype::Bits16)
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return launches.log_times[a] < launches.log_times[b];
    });
  // A state has few, and nothing that the record says tells them apart.
  if (!file.state) places.resize(std::min(places.size(), kTimedConfigs));
  return places;
}

std::string plan_row(const LaunchTime& row) {
  const TileConfig& tile = row.config.tile;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", name_of(row.kernel), row.bytes,
                     row.experts, row.top_k, row.n, row.k, row.block_n, row.block_k, row.tokens, tile.tile_m,
                     tile.tile_n, tile.tile_k, tile.warps, tile.stages, row.config.group_m, tile.split_k,
                     name_of(row.variant));
}

// The times of one key: all that look it up.
KeyTimes times_of(const KeyTimes& of_kernel, const std::vector<std::int64_t>& counts) {
  KeyTimes found;
  for (const std::int64_t tokens : counts) {
    const auto here = of_kernel.find(tokens);
    found[tokens] = here == of_kernel.end() ? KeyTimes::mapped_type() : here->second;
  }
  return found;
}

// The mean of ln(time) over the token counts; NaN where one is missing.
double timed_mean(const MoeConfig& config, const KeyTimes& times) {
  double mean = 0;
  for (const auto& [tokens, of_config] : times) {
    const auto found = of_config.find(config);
    if (found == of_config.end()) return std::numeric_limits<double>::quiet_NaN();
    mean += std::log(found->second) / double(times.size());
  }
  return mean;
}

// ln(us) of each of the model's configurations; all NaN where the times are of others.
std::vector<double> timed_means(const KeyLaunches& launches, const KeyTimes& times) {
  std::vector<double> timed;
  for (const MoeConfig& config : launches.configs) timed.push_back(timed_mean(config, times));
  return timed;
}

}  // namespace

bool may_time(const TunedFile& file) {
  if (file.kernel == TunedKernel::BlockProduct) return file.product.has_value();
  if (file.kernel == TunedKernel::StateUpdate) return file.state.has_value();
  if (file.kernel == TunedKernel::Lora) return file.adapters && file.adapters->experts == 0;
  return file.kernel == TunedKernel::Experts && file.layer && file.operands == ExpertOperands::OfLayer &&
         file.layer->expert_parallel == 1;
}

LaunchTime::Sizes LaunchTime::sizes() const {
  return {std::int64_t(kernel), bytes, experts, top_k, n, k, block_n, block_k, std::int64_t(variant)};
}

bool LaunchTime::is_of(const TunedFile& file) const { return sizes() == plan_sizes(file).sizes(); }

LaunchTimes::LaunchTimes(std::span<const LaunchTime> times) {
  for (const LaunchTime& time : times) by_kernel_[time.sizes()][time.tokens][time.config] = time.us;
}

const KeyTimes* LaunchTimes::of(const LaunchTime::Sizes& sizes) const {
  const auto found = by_kernel_.find(sizes);
  return found == by_kernel_.end() ? nullptr : &found->second;
}

std::string timing_plan(std::span<const TunedFile> files, MoeEngine engine, const GpuSpec& gpu,
                        const ConfigModel& searches) {
  std::string csv =
      "kernel,bytes,experts,top_k,n,k,block_n,block_k,tokens,bm,bn,bk,warps,stages,group,parts,variant\n";
  for (const TunedFile& file : files) {
    const std::vector<KeyLaunches> keys = key_launches(file, engine, gpu, searches);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::optional<LaunchTime> row = plan_sizes(file, keys[i]);
      if (!row) continue;
      std::set<MoeConfig> configs;
      for (const std::size_t place : chosen(file, keys[i])) configs.insert(keys[i].configs[place]);
      const std::vector<std::int64_t> counts = timed_tokens(file, keys[i], i);
      for (const std::int64_t tokens : counts) configs.insert(usual_launch(file, engine, keys[i], tokens));
      for (const std::int64_t tokens : counts) {
        row->tokens = tokens;
        for (const MoeConfig& config : configs) {
          row->config = config;
          csv += plan_row(*row);
        }
      }
    }
  }
  return csv;
}

std::vector<LaunchTime> read_launch_times(const std::filesystem::path& path, std::string_view device) {
  CsvReader csv(path);
  const std::size_t kernel = csv.column("kernel"), bytes = csv.column("bytes"),
                    experts = csv.column("experts"), top_k = csv.column("top_k"), n = csv.column("n"),
                    k = csv.column("k"), block_n = csv.column("block_n"), block_k = csv.column("block_k"),
                    tokens = csv.column("tokens"), bm = csv.column("bm"), bn = csv.column("bn"),
                    bk = csv.column("bk"), warps = csv.column("warps"), stages = csv.column("stages"),
                    group = csv.column("group"), us = csv.column("median_us"), gpu = csv.column("gpu");
  const std::optional<std::size_t> parts = csv.find_column("parts"), variant = csv.find_column("variant");
  const auto number = [&](std::size_t column, std::int64_t least) {
    const std::int64_t value = csv.integer(column);
    if (value < least || value > (1 << 24))
      throw InvalidInput(fmt::format("{}: expected {} to 16777216", csv.where(column), least));
    return std::int32_t(value);
  };
  std::vector<LaunchTime> times;
  while (csv.next()) {
    if (csv.cell(gpu) != device)
      throw InvalidInput(
          fmt::format("{}: '{}', expected times of '{}'", csv.where(gpu), csv.cell(gpu), device));
    if (csv.real(us) <= 0) continue;  // refused by the compiler or the GPU
    const double taken = measured_time(csv, us, kMicroseconds);
    times.push_back({.kernel = parse_enum<TunedKernel>(csv.cell(kernel), csv.where(kernel)),
                     .bytes = number(bytes, 1),
                     .experts = number(experts, 0),
                     .top_k = number(top_k, 0),
                     .n = number(n, 1),
                     .k = number(k, 1),
                     .block_n = number(block_n, 0),
                     .block_k = number(block_k, 0),
                     .variant = variant ? parse_enum<LaunchVariant>(csv.cell(*variant), csv.where(*variant))
                                        : LaunchVariant::Plain,
                     .tokens = number(tokens, 1),
                     .config = {.tile = {.tile_m = number(bm, 1),
                                         .tile_n = number(bn, 1),
                                         .tile_k = number(bk, 1),
                                         .warps = number(warps, 1),
                                         .stages = number(stages, 1),
                                         .split_k = parts ? number(*parts, 1) : 1},
                                .group_m = number(group, 1)},
                     .us = taken});
  }
  return times;
}

TimedRows timed_rows(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu, const ConfigModel& searches,
                     const LaunchTimes& times) {
  TimedRows found;
  const std::vector<KeyLaunches> keys = key_launches(file, engine, gpu, searches);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::optional<LaunchTime> sizes = plan_sizes(file, keys[i]);
    if (!sizes) {
      found.rows.push_back(sure_row(keys[i]));
      continue;
    }
    const KeyTimes* const of_kernel = times.of(sizes->sizes());
    if (of_kernel == nullptr) return {{}, "the samples have no time of this kernel"};
    const auto usual = [&](std::int64_t tokens) { return usual_launch(file, engine, keys[i], tokens); };
    const KeyTimes timed = times_of(*of_kernel, timed_tokens(file, keys[i], i));
    for (const auto& [tokens, of_config] : timed)
      if (!of_config.contains(usual(tokens)))
        return {{},
                fmt::format("its times end early: at {} tokens the engine's default {} has none", tokens,
                            moe_config_text(usual(tokens)))};
    const std::vector<double> means = timed_means(keys[i], timed);
    if (std::all_of(means.begin(), means.end(), [](double mean) { return std::isnan(mean); }))
      return {
          {},
          fmt::format("at {} tokens no configuration was timed that the GPU's record knows", keys[i].key)};
    SureRow sure{.row = measured_row(keys[i].key, usual, timed),
                 .above = keys[i].above,
                 .below = keys[i].below,
                 .share = {},
                 .is_timed = true};
    // The default may change within the key: each token count has its own.
    double mine = 0;
    for (const auto& [tokens, of_config] : timed)
      mine += std::log(of_config.at(sure.row.is_default ? usual(tokens) : sure.row.config)) /
              double(timed.size());
    sure.share = share_of_best_timed(keys[i].tiles(), keys[i].log_times, means, mine, keys[i].errors);
    found.rows.push_back(sure);
  }
  return found;
}

}  // namespace warploom
