#include "warploom/steps/apply_rule.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/widen.h"

namespace warploom {

Tier tier_by(const RuleUse& use, Tier tier) { return use.fitted ? tier : std::max(tier, Tier::CrossGpu); }

RulePrice price_by(const RuleUse& use, Seconds time, std::initializer_list<double> sizes, Tier tier) {
  const StepRule& rule = *use.rule;
  const double times = use.judged ? 1 : rule.elsewhere.times;
  const double more = use.judged ? 0 : rule.elsewhere.half_width;
  return {.time = time,
          .low = -std::hypot(times * rule.low, more),
          .high = std::hypot(times * rule.high, more),
          .tier = tier_by(use, tier),
          .in_step = true,
          .outside = use.fitted || rule.elsewhere.sizes ? outside_of(rule, sizes) : 0};
}

void doubt_change(const RuleUse& use, bool inside, double ratio, LatencyEstimate& answer) {
  if (ratio == 1 || (use.fitted && inside)) return;
  widen(answer, use.rule->elsewhere.undone * std::abs(std::log(ratio)));
  answer.tier = tier_by(use, answer.tier);
}

void doubt_change(const RuleUse& use, bool inside, Seconds change, LatencyEstimate& answer) {
  if (change <= Seconds(0.0) || (use.fitted && inside)) return;
  const Seconds undone = use.rule->elsewhere.undone * change;
  widen_by(answer, undone, undone);
  answer.tier = tier_by(use, answer.tier);
}

}  // namespace warploom
