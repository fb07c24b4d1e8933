// Rows of a tuned file, each with how sure it is.
#pragma once

#include <vector>

#include "warploom/fused_moe/config_model.h"
#include "warploom/fused_moe/config_table.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuned_files/launches_at_key.h"
#include "warploom/tuned_files/tuned_file.h"
#include "warploom/tuner/pick_share.h"

namespace warploom {

struct SureRow {
  MoeConfigRow row;
  // Keys around row.tokens where the file is nested (key_launches.h).
  std::vector<std::int64_t> above = {}, below = {};
  PickShare share;        // of the speed of the best configuration at the row's key
  bool is_timed = false;  // on the GPU (timed_rows.h)
};

// Whether kernels like the file's were timed on some GPU, so that what rows err by is known. Else it is
// assumed (unmeasured_errors), and a row says what the kernel's structure says.
bool was_ever_timed(const TunedFile& file);

// One key's row by the GPU's record, as sure_rows has it.
SureRow sure_row(const KeyLaunches& launches);
// A row for each key that key_launches has: the configuration of least time by the GPU's record over the
// token counts that look the key up, where it is clearly faster than the engine's default; 16-bit experts,
// whose rows fall on experts by chance: predicted_configs. The second product of experts has tiles of as many
// rows as the first one's row, and that row in the default's place. Asks for a file with something to predict
// from; throws as key_launches.
std::vector<SureRow> sure_rows(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                               const ConfigModel& searches);

}  // namespace warploom
