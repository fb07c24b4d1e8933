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

MoeConfig vllm_default(const MoeLayer& layer, std::int64_t tokens) {
  const bool fp8 = layer.dtype == MoeDtype::Fp8W8A8;
  if (fp8 && layer.block_n > 0) {
    const bool narrow = tokens <= 8 && layer.block_n % 64 == 0;
    return made(tokens <= 64 ? 16 : 64, narrow ? 64 : layer.block_n, layer.block_k, tokens <= 16 ? 1 : 32, 4,
                narrow && tokens <= 4 ? 4 : 3);
  }
  const int rows = tokens <= 32 ? 16 : tokens <= 96 ? 32 : tokens <= 512 ? 64 : 128;
  return made(rows, tokens <= 64 ? 64 : 128, fp8 || tokens <= 64 ? 128 : 64,
              tokens / layer.held() > 128 ? 16 : 1, tokens <= 128 ? 4 : 8, tokens <= 32 ? 4 : 3);
}

MoeConfig sglang_default(const MoeLayer& layer, std::int64_t tokens) {
  const bool few = tokens <= layer.held();
  if (layer.dtype == MoeDtype::Bits16) return few ? made(16, 32, 64, 1) : made(64, 64, 32, 8);
  if (layer.block_n > 0) return made(64, layer.block_n, layer.block_k, 32);
  return few ? made(64, 128, 128, 1, 4, 4) : made(128, 256, 128, 32, 8, 4);
}

}  // namespace

std::string moe_config_text(const MoeConfig& config) {
  return fmt::format("{}/g{}", config_text(config.tile), config.group_m);
}

MoeConfig engine_default(MoeEngine engine, const MoeLayer& layer, std::int64_t tokens) {
  return engine == MoeEngine::Vllm ? vllm_default(layer, tokens) : sglang_default(layer, tokens);
}

MoeConfig product_default(MoeEngine engine, std::int64_t block_n, std::int64_t block_k) {
  return {.tile = {.tile_m = 64,
                   .tile_n = std::int32_t(block_n),
                   .tile_k = std::int32_t(block_k),
                   .warps = 4,
                   .stages = engine == MoeEngine::Vllm ? 2 : 3},
          .group_m = 32};
}

}  // namespace warploom
