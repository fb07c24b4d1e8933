// What an engine launches when it finds no configuration file: the rule of its get_default_config, from the
// public sources of vLLM and SGLang.
//
//   both, 16-bit weights      M <= E: 16 x 32 x 64, group 1;  else 64 x 64 x 32, group 8
//   both, fp8 with blocks     64 x block_n x block_k, group 32, 4 warps, 3 stages
//   SGLang, fp8 by tensor     M <= E: 64 x 128 x 128, group 1, 4 warps, 4 stages; else 128 x 256 x 128, group
//                             32, 8 warps, 4 stages;  vLLM: as 16-bit weights
// with M tokens and E experts of the GPU. Warps and stages that a rule leaves open are Triton's: 4 and 3.
#pragma once

#include <compare>
#include <string>

#include "warploom/fused_moe/moe_layer.h"
#include "warploom/tuner/tile_config.h"

namespace warploom {

struct MoeConfig {
  TileConfig tile;
  std::int32_t group_m = 1;

  auto operator<=>(const MoeConfig&) const = default;
};

// "16x32x64/w4/s3/g1".
std::string moe_config_text(const MoeConfig& config);

MoeConfig engine_default(MoeEngine engine, const MoeLayer& layer, std::int64_t tokens);

}  // namespace warploom
