// Rows of a tuned file that nobody measured, each with how sure it is.
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
  PickShare share;  // of the speed of the best configuration at the row's key
};

// What the engine launches for the product without a file, at any number of tokens.
MoeConfig product_default(MoeEngine engine, const BlockProduct& product);

// A row for each key of the engines' ladder (kMoeLadder), by the GPU's record (record_model.h,
// block_scales.h): the configuration of least time over the token counts that look the key up, where it is
// clearly faster than the engine's default. Throws InvalidInput on a GPU without matrix units for fp8.
std::vector<SureRow> product_rows(const BlockProduct& product, MoeEngine engine, const GpuSpec& gpu);

// The same for both products of a layer of experts, whose rows fall on experts by chance: fp8 by the record,
// 16-bit weights by predicted_configs. Throws as check_moe_layer and product_rows.
std::vector<SureRow> expert_rows(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu,
                                 const ConfigModel& model);

}  // namespace warploom
