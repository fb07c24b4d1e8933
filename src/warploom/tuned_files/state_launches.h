// What the step of a recurrent state may be launched with, and what that takes by a GPU's record.
//
// vLLM 0.33's _selective_scan_update_kernel: a tile has `rows` of the head's state and all its columns in
// registers, reads it, changes it, sums it by rows and writes it back; the grid is head_dim / rows tiles for
// each request and head. So every configuration moves the same bytes; they differ in how many tiles an SM
// holds, how many bytes are under way to fill its share of DRAM, and what a tile costs beside its elements.
// Its constants were fitted on an H200 (state_rules.h); elsewhere they are carried by the GPU's record.
#pragma once

#include <vector>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuned_files/launches_at_key.h"
#include "warploom/tuned_files/state_rules.h"
#include "warploom/tuned_files/tuned_file.h"

namespace warploom {

// Rows are a configuration's tile_m, columns its tile_n. Keys are requests x heads of the GPU, powers of two.
std::vector<KeyLaunches> state_launches(const StateUpdate& state, const GpuSpec& gpu);

// Without a file (vLLM 0.33: _get_default_ssm_launch_config).
MoeConfig default_state_launch(const StateUpdate& state, const GpuSpec& gpu);

// us of one launch on `pairs` requests x heads.
double state_update_us(const StateUpdate& state, const TileConfig& config, std::int64_t pairs,
                       const GpuSpec& gpu, const StateRules& rules);

}  // namespace warploom
