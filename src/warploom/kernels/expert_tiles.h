// Experts of many rows inside an engine's step, by the tile that tuned files of vLLM's fused_moe take.
//
// From 64 rows an expert on, both files for bf16 on an H200 that the fixtures ran with (8 experts of 14,336,
// 128 of 768) take tiles of 128 rows, 256 columns and steps of 64, so weights are read once where 128 rows
// hold what an expert is given. Prices learned over all shapes do not know the tile and are up to a quarter
// longer.
#pragma once

#include <optional>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Both products and what stands between them, where the tile is known: bf16, both passes, 64 rows an expert
// and more. Waves of whole tiles, or the streamed weights where those take longer; where it is much longer
// than a measured price, rows are many and tiles of one expert share what they read.
std::optional<Seconds> whole_expert_tiles(const FusedMoe& op, const GpuSpec& gpu, Seconds streamed_weights);

}  // namespace warploom
