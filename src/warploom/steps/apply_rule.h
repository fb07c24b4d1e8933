// The one place that says what an answer is worth that a rule gave or changed.
#pragma once

#include "warploom/kernels/rule_price.h"
#include "warploom/steps/step_rule.h"

namespace warploom {

// `tier` where the rule was fitted; on another GPU and in another release cross_gpu at best.
Tier tier_by(const RuleUse& use, Tier tier);

// The price of a rule that stands in for measured kernels: its interval, wider by what its file states where
// it was neither fitted nor judged, and where `sizes` (the order of form_of) lie outside.
RulePrice price_by(const RuleUse& use, Seconds time, std::initializer_list<double> sizes, Tier tier);

// After a rule has changed the price of a measured kernel `ratio` times, p10 and p90 with it: where it was
// not fitted, or not `inside` of its sizes, the interval also holds that the change may not be true; its
// tier is tier_by.
void doubt_change(const RuleUse& use, bool inside, double ratio, LatencyEstimate& answer);
// The same of a change by so many seconds.
void doubt_change(const RuleUse& use, bool inside, Seconds change, LatencyEstimate& answer);

}  // namespace warploom
