// What an engine launches when it finds no configuration file: the rule of its get_default_config, as in the
// public sources of vLLM (0.17 and later; pull request 34846; fp8 with blocks as in 0.33) and SGLang (0.5),
// read in November 2026.
//
//   vLLM, 16-bit and fp8 by tensor   16 rows to 32 tokens, 32 to 96, 64 to 512, else 128; 64 columns to 64
//                                    tokens, else 128; inner 128 to 64 tokens or with fp8, else 64; group 16
//                                    from 129 tokens an expert, else 1; 4 warps to 128 tokens, else 8; 4
//                                    stages to 32 tokens, else 3
//   vLLM, fp8 with blocks            16 rows to 64 tokens, else 64; block_n x block_k, to 8 tokens 64 x
//                                    block_k; group 1 to 16 tokens, else 32; 4 warps; 4 stages to 4 tokens,
//                                    else 3
//   SGLang, 16-bit                   M <= E: 16 x 32 x 64, group 1; else 64 x 64 x 32, group 8 (vLLM before
//                                    0.17 had the same rule)
//   SGLang, fp8 with blocks          64 x block_n x block_k, group 32, 4 warps, 3 stages
//   SGLang, fp8 by tensor            M <= E: 64 x 128 x 128, group 1, 4 warps, 4 stages; else
//                                    128 x 256 x 128, group 32, 8 warps, 4 stages
//   products, fp8 with blocks        64 x block_n x block_k, group 32, 4 warps; 2 stages in vLLM (0.33), 3 in
//                                    SGLang
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
// What its Triton product of fp8 values has with a scale for each block_n x block_k, at any number of tokens.
MoeConfig product_default(MoeEngine engine, std::int64_t block_n, std::int64_t block_k);

}  // namespace warploom
