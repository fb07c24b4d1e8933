#include "warploom/fused_moe/engine_default.h"

#include <fmt/format.h>

namespace warploom {
namespace {

MoeConfig made(std::int64_t m, std::int64_t n, std::int64_t k, std::int32_t group, std::int32_t warps = 4,
               std::int32_t stages = 3) {
  return {.tile = {.tile_m = std::int32_t(m),
                   .tile_n = std::int32_t(n),
                   .tile_k = std::int32_t(k),
                   .warps = warps,
                   .stages = stages},
          .group_m = group};
}

}  // namespace

std::string moe_config_text(const MoeConfig& config) {
  return fmt::format("{}/g{}", config_text(config.tile), config.group_m);
}

MoeConfig engine_default(MoeEngine engine, const MoeLayer& layer, std::int64_t tokens) {
  const bool few = tokens <= layer.held();
  if (layer.dtype == MoeDtype::Fp8W8A8 && layer.block_n > 0)
    return made(64, layer.block_n, layer.block_k, 32);
  if (layer.dtype == MoeDtype::Fp8W8A8 && engine == MoeEngine::Sglang)
    return few ? made(64, 128, 128, 1, 4, 4) : made(128, 256, 128, 32, 8, 4);
  return few ? made(16, 32, 64, 1) : made(64, 64, 32, 8);
}

}  // namespace warploom
