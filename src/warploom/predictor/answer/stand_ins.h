// Kernels that an engine runs and no row is of, and what answers in their place.
//
// Two ways lead here: the public tables timed another kernel of the engine than the one that it chooses, or
// they timed none of its kernels at all. What stands in is of another engine, on the same GPU where that was
// measured, and says so.
#pragma once

#include <string_view>

#include "warploom/kernels/latency_model.h"

namespace warploom {

struct StandIn {
  Family family;
  // What is asked for; no kernel: the engine's default, and the only one that it has.
  std::string_view framework, kernel;
  // The engine whose default kernel for the operator answers.
  std::string_view instead;
  double doubt;  // ln half-width
  std::string_view source;
};

// nullptr: the kernel was measured, or is asked for as it was collected. O(table).
const StandIn* stand_in_for(const Operator& op, const KernelContext& context);

// Marks `estimate`, the price of what answers, and widens it.
void mark_stand_in(const StandIn& stand_in, LatencyEstimate& estimate);

}  // namespace warploom
