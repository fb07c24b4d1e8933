// Launches of matrix kernels by a GPU's record: which tiles there are, and what each takes at a key.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuned_files/launches_at_key.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

// `usual` is among the configurations whatever the compiler would make of it.
WaveModel priced_tiles(const TileKernel& kernel, const GpuSpec& gpu, const TileAxes& axes,
                       const TileConfig& usual);

// `tokens`: counts that look `key` up; `times`: microseconds of each of the model's configurations at one.
KeyLaunches priced_launches(std::int64_t key, const std::vector<std::int64_t>& tokens, const MoeConfig& usual,
                            const WaveModel& model, const TimeErrors& errors,
                            const std::function<std::vector<double>(std::int64_t tokens)>& times);

// What estimates err by where no kernel of this kind was ever timed: twice what those of plain products do.
// An assumption, no fit: it keeps more rows at the engine's default.
TimeErrors unmeasured_errors();

// Throws InvalidInput on a GPU without fp8 matrix units.
void require_fp8(const GpuSpec& gpu);

// The GPU with its int8 rate in fp8's place, since the tuner knows operands by their bytes. Throws
// InvalidInput on a GPU without int8 matrix units.
GpuSpec with_int8_units(const GpuSpec& gpu);

}  // namespace warploom
