// What a rule says of a kernel that no table has: a formula that was fitted on steps of an engine.
#pragma once

#include "warploom/base/units.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

struct RulePrice {
  Seconds time;
  // ln(time of a kernel / `time`), the 10th and the 90th percentile.
  double low = 0, high = 0;
  Tier tier = Tier::CrossGpu;
  bool in_step = false;
  double outside = 0;  // widths_outside of what the rule was fitted on
};

// Makes it the answer, nowhere below the physical bound; outside of the rule's sizes marked so, and widened.
void take_rule(const RulePrice& price, LatencyEstimate& answer);

}  // namespace warploom
