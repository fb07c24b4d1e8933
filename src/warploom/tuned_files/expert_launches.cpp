#include "warploom/tuned_files/expert_launches.h"

#include <algorithm>

#include "warploom/fused_moe/profiled_configs.h"
#include "warploom/fused_moe/voted_configs.h"
#include "warploom/tuned_files/launch_pricing.h"
#include "warploom/tuner/block_scales.h"
#include "warploom/tuner/expert_products.h"
#include "warploom/tuner/modelled_times.h"

namespace warploom {
namespace {

constexpr std::size_t kVotedConfigs = 64;  // of a key
// vLLM 0.33's should_moe_wna16_use_cuda: so many rows an expert go to a CUDA kernel, which takes its columns
// and depth from the file too and is not modelled.
constexpr double kCudaRowsPerExpert = 6;

bool widened(const TunedFile& file) {
  return file.operands == ExpertOperands::WeightsInt8 || file.operands == ExpertOperands::WeightsInt4;
}

bool runs_in_cuda(const TunedFile& file, MoeEngine engine, std::int64_t tokens) {
  return file.operands == ExpertOperands::WeightsInt4 && engine == MoeEngine::Vllm &&
         double(tokens * file.layer->top_k) / double(file.layer->held()) <= kCudaRowsPerExpert;
}

// vLLM 0.33's get_default_config of 4 and 8 bits and what get_moe_wna16_block_config adds to it.
MoeConfig widened_default(const TunedFile& file, std::int64_t tokens) {
  if (runs_in_cuda(file, MoeEngine::Vllm, tokens)) {
    std::int32_t rows = 1;
    while (rows < tokens && rows < 16) rows *= 2;
    return {.tile = {.tile_m = rows, .tile_n = 0, .tile_k = 0, .warps = 0, .stages = 0}, .group_m = 1};
  }
  const std::int32_t rows = tokens <= 20 ? 16 : tokens <= 40 ? 32 : 64;
  const bool one = tokens == 1;
  return {.tile = {.tile_m = rows, .tile_n = one ? 32 : 64, .tile_k = one ? 64 : 32, .warps = 4, .stages = 3},
          .group_m = 1};
}

TileKernel kernel_of(const TunedFile& file, const MoeConfig& usual) {
  return {.name = "fused_moe",
          .kind = TileKernelKind::GroupedGemm,
          .operand_bytes = widened(file) ? 2 : 1,
          .group_rows = usual.group_m,
          .experts = file.layer->held(),
          .top_k = file.layer->top_k};
}

// Times of the second product, and of the first before it where `both`.
class ProductTimes {
 public:
  ProductTimes(const TunedFile& file, const WaveModel& model, bool both)
      : layer_(*file.layer), model_(model), both_(both) {}

  std::vector<double> operator()(std::int64_t tokens) const {
    const ExpertProducts products({.hidden = layer_.hidden,
                                   .width = layer_.width(),
                                   .top_k = layer_.top_k,
                                   .expert_parallel = layer_.expert_parallel},
                                  model_.kernel, tokens);
    std::vector<double> us = modelled_times(model_, products.second(), nullptr, products.rows);
    if (!both_) return us;
    const std::vector<double> first = modelled_times(model_, products.first(), nullptr, products.rows);
    for (std::size_t i = 0; i < us.size(); ++i) us[i] += first[i];
    return us;
  }

 private:
  const MoeLayer& layer_;
  const WaveModel& model_;
  bool both_;
};

WaveModel model_of(const TunedFile& file, const GpuSpec& gpu, const MoeConfig& usual) {
  const TileKernel kernel = kernel_of(file, usual);
  WaveModel model = priced_tiles(kernel, gpu, default_axes(kernel.kind), usual.tile);
  if (file.layer->block_k > 0) add_block_scales(model, gpu, file.layer->block_k);
  return model;
}

TimeErrors errors_of(const TunedFile& file) {
  if (file.operands != ExpertOperands::OfLayer) return unmeasured_errors();
  return file.layer->block_k > 0 ? record_rules().block_products : record_rules().plain;
}

GpuSpec units_of(const TunedFile& file, const GpuSpec& gpu) {
  if (file.operands == ExpertOperands::Int8) return with_int8_units(gpu);
  if (!widened(file)) require_fp8(gpu);
  return gpu;
}

std::vector<KeyLaunches> by_record(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu) {
  check_moe_layer(*file.layer, "tuned-files");
  const GpuSpec units = units_of(file, gpu);
  const TimeErrors errors = errors_of(file);
  std::vector<KeyLaunches> found;
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i) {
    const std::int64_t key = kMoeLadder[i];
    const MoeConfig usual = default_experts(file, engine, key);
    // Some that look the key up run elsewhere: nothing but the default is right for both.
    if (runs_in_cuda(file, engine, served_tokens(i).first)) {
      const MoeConfig kept = runs_in_cuda(file, engine, key) ? usual : widened_default(file, 1);
      found.push_back({.key = key, .usual = kept, .configs = {kept}, .log_times = {0}, .errors = errors});
      continue;
    }
    const WaveModel model = model_of(file, units, usual);
    found.push_back(
        priced_launches(key, judged_tokens(i), usual, model, errors, ProductTimes(file, model, true)));
  }
  return found;
}

std::vector<KeyLaunches> by_votes(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                                  const ConfigModel& searches) {
  const MoeLayer& layer = *file.layer;
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

MoeConfig default_experts(const TunedFile& file, MoeEngine engine, std::int64_t tokens) {
  if (file.operands == ExpertOperands::OfLayer) return engine_default(engine, *file.layer, tokens);
  if (engine == MoeEngine::Vllm && widened(file)) return widened_default(file, tokens);
  MoeLayer layer = *file.layer;  // both engines have one rule for all else that is not fp8
  layer.dtype = MoeDtype::Bits16;
  return engine_default(engine, layer, tokens);
}

std::vector<KeyLaunches> expert_launches(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                                         const ConfigModel& searches) {
  const bool voted = file.operands == ExpertOperands::OfLayer && file.layer->dtype == MoeDtype::Bits16;
  return voted ? by_votes(file, engine, gpu, searches) : by_record(file, engine, gpu);
}

std::vector<KeyLaunches> second_product_launches(const TunedFile& file, const std::vector<MoeConfig>& first,
                                                 const GpuSpec& gpu) {
  const GpuSpec units = units_of(file, gpu);
  std::vector<KeyLaunches> found;
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i) {
    WaveModel model = model_of(file, units, first[i]);
    std::erase_if(model.configs,
                  [&](const FittedConfig& fitted) { return fitted.config.tile_m != first[i].tile.tile_m; });
    found.push_back(priced_launches(kMoeLadder[i], judged_tokens(i), first[i], model, unmeasured_errors(),
                                    ProductTimes(file, model, false)));
  }
  return found;
}

}  // namespace warploom
