// What a kernel may be launched with at one key of a tuned file, and what each takes by the GPU's record.
#pragma once

#include <vector>

#include "warploom/fused_moe/config_model.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuned_files/launches_at_key.h"
#include "warploom/tuned_files/tuned_file.h"

namespace warploom {

// What the engine launches for the file's kernel without a file, at any number of tokens. Asks for a file
// that may_time (timed_rows.h).
MoeConfig default_launch(const TunedFile& file, MoeEngine engine, std::int64_t tokens);

// For each key that the file may have. Experts of 16 bits: configurations that searches on other GPUs voted
// for, the most voted first; all else: every legal one by the record (tuner/record_model.h, block_scales.h;
// state_launches.h). The second product of experts has none of its own (sure_rows.h). Asks for a file with
// something to predict from. Throws InvalidInput on a GPU without matrix units for the operands, and as
// check_moe_layer.
std::vector<KeyLaunches> key_launches(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                                      const ConfigModel& searches);

}  // namespace warploom
