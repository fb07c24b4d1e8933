// What products of adapters may be launched with, by a GPU's record.
//
// They are plain products of 16-bit values, one for each adapter and slice, with the rank as columns (down)
// or as depth (up); parts along the depth are added up in memory. By structure alone:
// on an H200 rows had 81 % of the speed of the best that was timed (tests/fixtures/tuner/engine_kernels).
#pragma once

#include <vector>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuned_files/launches_at_key.h"
#include "warploom/tuned_files/tuned_file.h"

namespace warploom {

// Keys of vLLM's files: [adapters + 1][slices][tokens][k][n], of experts [adapters][slices][tokens][rank]
// [hidden][width]. vLLM stops at a number of slices that the file lacks, so each up to kMostSlices is there,
// with its defaults where the model has no such product. SGLang's: rows of a chunk.
inline constexpr std::int64_t kMostSlices = 8;
std::vector<KeyLaunches> adapter_launches(const TunedFile& file, const GpuSpec& gpu);

// vLLM 0.33: get_lora_op_configs; SGLang 0.5.23: get_lora_shrink_config, get_lora_expand_config, and Triton's
// 4 warps and 3 stages. `tokens`: rows of a chunk there.
MoeConfig default_adapter_launch(const TunedFile& file, std::int64_t slices, std::int64_t tokens);

}  // namespace warploom
