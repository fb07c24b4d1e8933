#include "warploom/kernels/rule_price.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/size_range.h"
#include "warploom/kernels/widen.h"

namespace warploom {

void take_rule(const RulePrice& price, LatencyEstimate& answer) {
  answer.p50 = std::max(price.time, answer.physical_bound);
  answer.p10 = std::max(answer.p50 * std::exp(price.low), answer.physical_bound);
  answer.p90 = answer.p50 * std::exp(price.high);
  answer.tier = price.tier;
  answer.extrapolated = price.outside > 0;
  answer.stands_in = false;
  answer.in_step = price.in_step;
  widen(answer, doubt_outside(price.outside));
}

}  // namespace warploom
