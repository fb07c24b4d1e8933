#include "warploom/tuned_files/key_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "warploom/base/error.h"
#include "warploom/fused_moe/profiled_configs.h"
#include "warploom/fused_moe/voted_configs.h"
#include "warploom/tuner/block_scales.h"
#include "warploom/tuner/expert_products.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/modelled_times.h"
#include "warploom/tuner/record_model.h"

namespace warploom {
namespace {

constexpr std::size_t kVotedConfigs = 64;  // of a key

void require_fp8(const GpuSpec& gpu) {
  if (!(gpu.tensor_rates.fp8 > 0))
    throw InvalidInput(fmt::format("{}: has no matrix units for fp8, expected a GPU with them", gpu.name));
}

// `usual` is among the configurations whatever the compiler would make of it.
WaveModel one_byte_model(const TileKernel& kernel, const GpuSpec& gpu, const TileConfig& usual,
                         std::int64_t block_k) {
  std::vector<TileConfig> space = legal_space(kernel, TileGpu::from(gpu), default_axes(TileKernelKind::Gemm));
  if (std::find(space.begin(), space.end(), usual) == space.end()) space.push_back(usual);
  WaveModel model = model_from_record(kernel, gpu, space);
  if (block_k > 0) add_block_scales(model, gpu, block_k);
  return model;
}

// `times`: microseconds of each of the model's configurations at a token count.
KeyLaunches launches_of(std::size_t place, const MoeConfig& usual, const WaveModel& model,
                        const TimeErrors& errors,
                        const std::function<std::vector<double>(std::int64_t tokens)>& times) {
  KeyLaunches launches{
      .key = kMoeLadder[place], .usual = usual, .configs = {}, .log_times = {}, .errors = errors};
  for (const FittedConfig& fitted : model.configs)
    launches.configs.push_back({.tile = fitted.config, .group_m = usual.group_m});
  launches.log_times.assign(launches.configs.size(), 0);
  const std::vector<std::int64_t> tokens = judged_tokens(place);
  for (const std::int64_t count : tokens) {
    const std::vector<double> us = times(count);
    for (std::size_t i = 0; i < us.size(); ++i)
      launches.log_times[i] += std::log(us[i]) / double(tokens.size());
  }
  return launches;
}

std::vector<KeyLaunches> product_launches(const BlockProduct& product, MoeEngine engine, const GpuSpec& gpu) {
  require_fp8(gpu);
  const MoeConfig usual = product_default(engine, product.block_n, product.block_k);
  const TileKernel kernel{.name = "block_fp8_product", .operand_bytes = 1, .group_rows = usual.group_m};
  const WaveModel model = one_byte_model(kernel, gpu, usual.tile, product.block_k);
  const auto times = [&](std::int64_t tokens) {
    return modelled_times(model, {tokens, product.n, product.k});
  };
  const TimeErrors& errors = record_rules().block_products;
  std::vector<KeyLaunches> found;
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i)
    found.push_back(launches_of(i, usual, model, errors, times));
  return found;
}

std::vector<KeyLaunches> one_byte_experts(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu) {
  check_moe_layer(layer, "tuned-files");
  require_fp8(gpu);
  const RecordRules& rules = record_rules();
  const TimeErrors& errors = layer.block_k > 0 ? rules.block_products : rules.plain;
  std::vector<KeyLaunches> found;
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i) {
    const MoeConfig usual = engine_default(engine, layer, kMoeLadder[i]);
    const TileKernel kernel{.name = "fused_moe",
                            .kind = TileKernelKind::GroupedGemm,
                            .operand_bytes = 1,
                            .group_rows = usual.group_m,
                            .experts = layer.held(),
                            .top_k = layer.top_k};
    const WaveModel model = one_byte_model(kernel, gpu, usual.tile, layer.block_k);
    const auto times = [&](std::int64_t tokens) {
      const ExpertProducts products({.hidden = layer.hidden,
                                     .width = layer.width(),
                                     .top_k = layer.top_k,
                                     .expert_parallel = layer.expert_parallel},
                                    kernel, tokens);
      std::vector<double> both = modelled_times(model, products.first(), nullptr, products.rows);
      const std::vector<double> second = modelled_times(model, products.second(), nullptr, products.rows);
      for (std::size_t k = 0; k < both.size(); ++k) both[k] += second[k];
      return both;
    };
    found.push_back(launches_of(i, usual, model, errors, times));
  }
  return found;
}

std::vector<KeyLaunches> voted_experts(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu,
                                       const ConfigModel& searches) {
  check_moe_layer(layer, "tuned-files");
  std::vector<KeyLaunches> found;
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i) {
    KeyLaunches launches{.key = kMoeLadder[i],
                         .usual = engine_default(engine, layer, kMoeLadder[i]),
                         .configs = most_voted(layer, i, gpu, searches, kVotedConfigs),
                         .log_times = {},
                         .errors = record_rules().plain};
    if (std::find(launches.configs.begin(), launches.configs.end(), launches.usual) == launches.configs.end())
      launches.configs.push_back(launches.usual);
    for (const MoeConfig& config : launches.configs)
      launches.log_times.push_back(layer_slowdown(layer, config, launches.key, gpu, searches));
    found.push_back(std::move(launches));
  }
  return found;
}

}  // namespace

std::vector<TileConfig> KeyLaunches::tiles() const {
  std::vector<TileConfig> all;
  for (const MoeConfig& config : configs) all.push_back(config.tile);
  return all;
}

MoeConfig default_launch(const TunedFile& file, MoeEngine engine, std::int64_t tokens) {
  return file.product ? product_default(engine, file.product->block_n, file.product->block_k)
                      : engine_default(engine, *file.layer, tokens);
}

std::vector<KeyLaunches> key_launches(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                                      const ConfigModel& searches) {
  if (file.product) return product_launches(*file.product, engine, gpu);
  return file.layer->dtype == MoeDtype::Bits16 ? voted_experts(*file.layer, engine, gpu, searches)
                                               : one_byte_experts(*file.layer, engine, gpu);
}

}  // namespace warploom
