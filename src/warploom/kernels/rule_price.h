// What a rule says of a kernel that no table has: a formula that was fitted on steps of an engine.
#pragma once

#include <string_view>

#include "warploom/base/units.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// The GPU on which a rule was fitted that names no other.
inline constexpr std::string_view kRuleGpu = "h200_sxm";

struct RulePrice {
  Seconds time;
  // ln(time of a kernel / `time`), the 10th and the 90th percentile.
  double low = 0, high = 0;
  Tier tier = Tier::CrossGpu;
  bool in_step = false;
};

// Makes it the answer, nowhere below the physical bound.
void take_rule(const RulePrice& price, LatencyEstimate& answer);

}  // namespace warploom
