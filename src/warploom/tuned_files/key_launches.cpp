#include "warploom/tuned_files/key_launches.h"

#include "warploom/fused_moe/profiled_configs.h"
#include "warploom/tuned_files/adapter_launches.h"
#include "warploom/tuned_files/expert_launches.h"
#include "warploom/tuned_files/launch_pricing.h"
#include "warploom/tuned_files/state_launches.h"
#include "warploom/tuner/block_scales.h"
#include "warploom/tuner/modelled_times.h"

namespace warploom {
namespace {

std::vector<KeyLaunches> product_launches(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu) {
  const bool int8 = file.kernel == TunedKernel::Int8Product;
  if (!int8) require_fp8(gpu);
  const GpuSpec units = int8 ? with_int8_units(gpu) : gpu;
  const BlockProduct& product = *file.product;
  const MoeConfig usual = product_default(engine, product.block_n, product.block_k);
  const TileKernel kernel{
      .name = std::string(name_of(file.kernel)), .operand_bytes = 1, .group_rows = usual.group_m};
  WaveModel model = priced_tiles(kernel, units, default_axes(kernel.kind), usual.tile);
  if (product.block_k > 0) add_block_scales(model, units, product.block_k);
  const auto times = [&](std::int64_t tokens) {
    return modelled_times(model, {tokens, product.n, product.k});
  };
  const TimeErrors errors = int8 ? unmeasured_errors() : record_rules().block_products;
  std::vector<KeyLaunches> found;
  for (std::size_t i = 0; i < kMoeLadder.size(); ++i)
    found.push_back(priced_launches(kMoeLadder[i], judged_tokens(i), usual, model, errors, times));
  return found;
}

}  // namespace

MoeConfig default_launch(const TunedFile& file, MoeEngine engine, std::int64_t tokens) {
  return file.product ? product_default(engine, file.product->block_n, file.product->block_k)
                      : engine_default(engine, *file.layer, tokens);
}

std::vector<KeyLaunches> key_launches(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                                      const ConfigModel& searches) {
  if (file.product) return product_launches(file, engine, gpu);
  if (file.state) return state_launches(*file.state, gpu);
  if (file.adapters) return adapter_launches(file, gpu);
  return expert_launches(file, engine, gpu, searches);
}

}  // namespace warploom
