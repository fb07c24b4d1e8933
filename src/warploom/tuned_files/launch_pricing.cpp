#include "warploom/tuned_files/launch_pricing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/tuner/record_model.h"

namespace warploom {

WaveModel priced_tiles(const TileKernel& kernel, const GpuSpec& gpu, const TileAxes& axes,
                       const TileConfig& usual) {
  std::vector<TileConfig> space = legal_space(kernel, TileGpu::from(gpu), axes);
  if (std::find(space.begin(), space.end(), usual) == space.end()) space.push_back(usual);
  return model_from_record(kernel, gpu, space);
}

KeyLaunches priced_launches(std::int64_t key, const std::vector<std::int64_t>& tokens, const MoeConfig& usual,
                            const WaveModel& model, const TimeErrors& errors,
                            const std::function<std::vector<double>(std::int64_t tokens)>& times) {
  KeyLaunches launches{.key = key, .usual = usual, .configs = {}, .log_times = {}, .errors = errors};
  for (const FittedConfig& fitted : model.configs)
    launches.configs.push_back({.tile = fitted.config, .group_m = usual.group_m});
  launches.log_times.assign(launches.configs.size(), 0);
  for (const std::int64_t count : tokens) {
    const std::vector<double> us = times(count);
    for (std::size_t i = 0; i < us.size(); ++i)
      launches.log_times[i] += std::log(us[i]) / double(tokens.size());
  }
  return launches;
}

TimeErrors unmeasured_errors() {
  constexpr double kTimesPlain = 2;
  const TimeErrors& plain = record_rules().plain;
  return {.tile = kTimesPlain * plain.tile, .knob = kTimesPlain * plain.knob};
}

void require_fp8(const GpuSpec& gpu) {
  if (!(gpu.tensor_rates.fp8 > 0))
    throw InvalidInput(fmt::format("{}: has no matrix units for fp8, expected a GPU with them", gpu.name));
}

GpuSpec with_int8_units(const GpuSpec& gpu) {
  if (!(gpu.tensor_rates.int8 > 0))
    throw InvalidInput(fmt::format("{}: has no matrix units for int8, expected a GPU with them", gpu.name));
  GpuSpec same = gpu;
  same.tensor_rates.fp8 = gpu.tensor_rates.int8;
  return same;
}

}  // namespace warploom
