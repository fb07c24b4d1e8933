// What tuned kernels change in a serving run.
#pragma once

#include <string>

#include "warploom/base/units.h"

namespace warploom {

struct MeanLatencies {
  Seconds ttft, tpot;
};

// The same run without the tuned kernels and with them: expected, and at both ends of their gain.
struct TunedChange {
  std::string tier;  // of the table
  MeanLatencies before, expected, least, most;
};

}  // namespace warploom
