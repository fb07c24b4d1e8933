#include "warploom/app/predict/tier_requirement.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {

bool requires_measured(const std::string& require_tier) {
  if (require_tier.empty()) return false;
  if (require_tier == name_of(Tier::Measured)) return true;
  throw InvalidInput(fmt::format("require_tier: '{}' is no tier that can be required, expected {}",
                                 require_tier, name_of(Tier::Measured)));
}

std::string unmeasured_reason(Tier tier) {
  return fmt::format("require_tier: the answer is of tier {}, expected one that is measured", name_of(tier));
}

}  // namespace warploom
