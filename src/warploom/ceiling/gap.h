// One kernel against its ceiling.
#pragma once

#include "warploom/ceiling/ceiling_model.h"

namespace warploom {

// A kernel is flagged when its efficiency lies further below the ceiling than this (PipeWeave's rule).
inline constexpr double kFlaggedGap = 0.1;

struct Gap {
  double ceiling_efficiency = 0, efficiency = 0;  // physical bound / time
  Seconds saved;                                  // of one call at the ceiling; 0 where it is reached
  bool above = false;                             // faster than the ceiling
  bool flagged() const { return ceiling_efficiency - efficiency > kFlaggedGap; }
};

Gap gap_of(const Ceiling& ceiling, Seconds actual);

}  // namespace warploom
