// What a mixture's experts may be launched with at each key of a tuned file.
#pragma once

#include <vector>

#include "warploom/fused_moe/config_model.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuned_files/launches_at_key.h"
#include "warploom/tuned_files/tuned_file.h"

namespace warploom {

// What the engine launches without a file, by the operands of the file's layer. A tile of no columns and no
// depth: it chooses both itself, later.
MoeConfig default_experts(const TunedFile& file, MoeEngine engine, std::int64_t tokens);

// Both products together. Throws InvalidInput on a GPU without matrix units for the operands, and as
// check_moe_layer.
std::vector<KeyLaunches> expert_launches(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                                         const ConfigModel& searches);

// The second product alone, with the rows of tiles that the first was chosen (`first`, a row a key), since
// both share one order of tokens; `first` is also what is launched without a file of its own.
std::vector<KeyLaunches> second_product_launches(const TunedFile& file, const std::vector<MoeConfig>& first,
                                                 const GpuSpec& gpu);

}  // namespace warploom
