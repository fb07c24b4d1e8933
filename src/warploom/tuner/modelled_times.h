// What every configuration of a model takes at one shape.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/tuner/time_correction.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

// Microseconds, in the order of model.configs. `correction`: none where it is nullptr. `expert_rows`: of each
// expert of grouped products; empty: as the kernel says.
std::vector<double> modelled_times(const WaveModel& model, const TileShape& shape,
                                   const TimeCorrection* correction = nullptr,
                                   std::span<const std::int64_t> expert_rows = {});

}  // namespace warploom
