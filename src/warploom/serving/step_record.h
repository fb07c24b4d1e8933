// A step as it ran, for traces.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/models/step_shape.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

struct StepRecord {
  SimTime begin, end;
  std::int32_t pool = 0, replica = 0;
  Seconds gpu, host;  // gpu + host <= end - begin; the rest waits for replicas of the group
  StepShape shape;
};

}  // namespace warploom
