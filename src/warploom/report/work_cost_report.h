// What a training took.
#pragma once

#include "warploom/base/json.h"
#include "warploom/base/work_clock.h"

namespace warploom {

// {"training_s", "training_cpu_s", "training_peak_bytes"}
Json work_cost_json(const WorkCost& cost);

}  // namespace warploom
