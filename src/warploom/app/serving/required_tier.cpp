#include "warploom/app/serving/required_tier.h"

#include <fmt/format.h>

#include "warploom/app/predict/tier_requirement.h"
#include "warploom/base/error.h"

namespace warploom {

double measured_share_of(std::span<const KernelTime> kernels) {
  return kernels.empty() ? 1 : trust_of(kernels).tier_shares[std::size_t(Tier::Measured)];
}

bool is_measured(std::span<const KernelTime> kernels) { return measured_share_of(kernels) >= kMeasuredShare; }

std::string too_little_measured() {
  return fmt::format("require_tier: less than {:.0f} % of the kernels' time is measured on that GPU",
                     100 * kMeasuredShare);
}

void check_required_tier(const std::string& asked, std::span<const KernelTime> kernels) {
  if (!requires_measured(asked) || is_measured(kernels)) return;
  throw Unsupported(
      fmt::format("require_tier: {:.1f} % of the kernels' time is measured on this GPU, expected at least "
                  "{:.0f} %; `warploom support` lists what is",
                  100 * measured_share_of(kernels), 100 * kMeasuredShare));
}

}  // namespace warploom
