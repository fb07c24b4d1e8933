// Tiles of Triton's grouped products that a source fixes by rule, where nothing was tuned.
#pragma once

#include <cstddef>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

struct SourceTile {
  double rows, columns;
  double chain_share;  // wait for operands of a tile alone on its SM, of the usual
  std::size_t block;   // of the rows, in kRowBlocks
};

// SGLang's kernel where no tuned file fits: get_default_config of its fused_moe_triton_config.py. Its steps
// are of 32 (few tokens: 64, block-scaled: 128) elements with two on their way; how much longer than usual a
// tile then waits for operands was set on the measured rows. `held`: experts of the rank.
SourceTile sglang_default_tile(const FusedMoe& op, double tokens, double held);

// PipeWeave's rows of one pass: its published rule on tokens, experts, hidden size and what a block may take
// of shared memory gives back the tile of each of its 33,264 rows.
SourceTile pipeweave_tile(const FusedMoe& op, const GpuSpec& gpu);

}  // namespace warploom
