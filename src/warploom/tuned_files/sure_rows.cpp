#include "warploom/tuned_files/sure_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "warploom/base/error.h"
#include "warploom/fused_moe/voted_configs.h"
#include "warploom/tuner/block_scales.h"
#include "warploom/tuner/expert_products.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/modelled_times.h"
#include "warploom/tuner/record_model.h"

namespace warploom {
namespace {

// Configurations of one kernel, and ln(time) of each at a token count.
struct Launches {
  std::vector<TileConfig> configs;
  std::function<std::vector<double>(std::int64_t tokens)> log_times;
};

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

std::vector<TileConfig> configs_of(const WaveModel& model) {
  std::vector<TileConfig> configs;
  for (const FittedConfig& fitted : model.configs) configs.push_back(fitted.config);
  return configs;
}

// The mean of ln(time) over the token counts that look the key up.
std::vector<double> mean_log_times(const Launches& launches, std::size_t key) {
  std::vector<double> mean(launches.configs.size(), 0);
  const std::vector<std::int64_t> tokens = judged_tokens(key);
  for (const std::int64_t count : tokens) {
    const std::vector<double> times = launches.log_times(count);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += times[i] / double(tokens.size());
  }
  return mean;
}

SureRow sure_row(const Launches& launches, std::size_t key, const MoeConfig& usual) {
  const std::vector<double> times = mean_log_times(launches, key);
  const auto usual_place = std::find(launches.configs.begin(), launches.configs.end(), usual.tile);
  std::size_t pick = std::size_t(std::min_element(times.begin(), times.end()) - times.begin());
  SureRow sure{
      .row = {.tokens = kMoeLadder[key], .config = usual, .engine_default = usual, .is_default = true},
      .share = {}};
  // The compiler may refuse the default, as the model does.
  if (usual_place != launches.configs.end()) {
    const std::size_t place = std::size_t(usual_place - launches.configs.begin());
    const double gain = times[place] - times[pick];
    if (clearly_faster(gain, launches.configs[pick], usual.tile)) {
      sure.row.speedup = std::exp(gain);
      const double error = 1.2816 * std::sqrt(2.0) * kTileError;  // p10 and p90 of two tiles
      sure.row.speedup_p10 = std::exp(gain - error);
      sure.row.speedup_p90 = std::exp(gain + error);
    } else {
      pick = place;
    }
  }
  sure.row.config.tile = launches.configs[pick];
  sure.row.is_default = sure.row.config == usual;
  sure.share = share_of_best(launches.configs, times, pick);
  return sure;
}

std::vector<SureRow> one_byte_experts(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu) {
  require_fp8(gpu);
  std::vector<SureRow> rows;
  for (std::size_t key = 0; key < kMoeLadder.size(); ++key) {
    const MoeConfig usual = engine_default(engine, layer, kMoeLadder[key]);
    const TileKernel kernel{.name = "fused_moe",
                            .kind = TileKernelKind::GroupedGemm,
                            .operand_bytes = 1,
                            .group_rows = usual.group_m,
                            .experts = layer.held(),
                            .top_k = layer.top_k};
    const WaveModel model = one_byte_model(kernel, gpu, usual.tile, layer.block_k);
    const auto log_times = [&](std::int64_t tokens) {
      const ExpertProducts products({.hidden = layer.hidden,
                                     .width = layer.width(),
                                     .top_k = layer.top_k,
                                     .expert_parallel = layer.expert_parallel},
                                    kernel, tokens);
      std::vector<double> times = modelled_times(model, products.first(), nullptr, products.rows);
      const std::vector<double> second = modelled_times(model, products.second(), nullptr, products.rows);
      for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::log(times[i] + second[i]);
      return times;
    };
    rows.push_back(sure_row({configs_of(model), log_times}, key, usual));
  }
  return rows;
}

// Searches on other GPUs say how far a configuration lies behind the best.
PickShare voted_share(const MoeLayer& layer, const MoeConfigRow& row, const GpuSpec& gpu,
                      const ConfigModel& model) {
  const double behind = layer_slowdown(layer, row.config, row.tokens, gpu, model);
  const auto share = [&](double error) { return std::exp(-std::max(0.0, behind + error)); };
  return {.p10 = share(double(model.record().residual_p90)),
          .p50 = share(0),
          .p90 = share(double(model.record().residual_p10))};
}

}  // namespace

MoeConfig product_default(MoeEngine engine, const BlockProduct& product) {
  return {.tile = {.tile_m = 64,
                   .tile_n = static_cast<std::int32_t>(product.block_n),
                   .tile_k = static_cast<std::int32_t>(product.block_k),
                   .warps = 4,
                   .stages = engine == MoeEngine::Vllm ? 2 : 3},
          .group_m = 32};
}

std::vector<SureRow> product_rows(const BlockProduct& product, MoeEngine engine, const GpuSpec& gpu) {
  require_fp8(gpu);
  const MoeConfig usual = product_default(engine, product);
  const TileKernel kernel{.name = "block_fp8_product", .operand_bytes = 1, .group_rows = usual.group_m};
  const WaveModel model = one_byte_model(kernel, gpu, usual.tile, product.block_k);
  const auto log_times = [&](std::int64_t tokens) {
    std::vector<double> times = modelled_times(model, {tokens, product.n, product.k});
    for (double& time : times) time = std::log(time);
    return times;
  };
  const Launches launches{configs_of(model), log_times};
  std::vector<SureRow> rows;
  for (std::size_t key = 0; key < kMoeLadder.size(); ++key) rows.push_back(sure_row(launches, key, usual));
  return rows;
}

std::vector<SureRow> expert_rows(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu,
                                 const ConfigModel& model) {
  if (layer.dtype != MoeDtype::Bits16) {
    check_moe_layer(layer, "tuned-files");
    return one_byte_experts(layer, engine, gpu);
  }
  std::vector<SureRow> rows;
  for (const MoeConfigRow& row : predicted_configs(layer, engine, gpu, model).rows)
    rows.push_back({row, voted_share(layer, row, gpu, model)});
  return rows;
}

}  // namespace warploom
