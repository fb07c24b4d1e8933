// Rows of a tuned file, each with how sure it is.
#pragma once

#include <vector>

#include "warploom/fused_moe/config_model.h"
#include "warploom/fused_moe/config_table.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuned_files/tuned_file.h"
#include "warploom/tuner/pick_share.h"

namespace warploom {

struct SureRow {
  MoeConfigRow row;
  PickShare share;        // of the speed of the best configuration at the row's key
  bool is_timed = false;  // on the GPU (timed_rows.h)
};

// A row for each key of the engines' ladder (kMoeLadder). fp8: the configuration of least time by the GPU's
// record over the token counts that look the key up, where it is clearly faster than the engine's default;
// 16-bit experts, whose rows fall on experts by chance: predicted_configs. Asks for a file with a layer or a
// product; throws as key_launches.
std::vector<SureRow> sure_rows(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                               const ConfigModel& searches);

}  // namespace warploom
