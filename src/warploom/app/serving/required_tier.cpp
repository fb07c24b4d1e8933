#include "warploom/app/serving/required_tier.h"

#include <fmt/format.h>

#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/base/error.h"

namespace warploom {

double measured_share_of(std::span<const KernelTime> kernels) {
  const auto seconds = seconds_by_tier(kernels);
  double all = 0;
  for (const double part : seconds) all += part;
  return all > 0 ? seconds[std::size_t(Tier::Measured)] / all : 1;
}

void check_required_tier(const std::string& asked, std::span<const KernelTime> kernels) {
  if (asked.empty()) return;
  if (asked != name_of(Tier::Measured))
    throw InvalidInput(fmt::format("require_tier: '{}' is no tier that can be required, expected {}", asked,
                                   name_of(Tier::Measured)));
  const double share = measured_share_of(kernels);
  if (share >= kMeasuredShare) return;
  throw Unsupported(
      fmt::format("require_tier: {:.1f} % of the kernels' time is measured on this GPU, expected at least "
                  "{:.0f} %; `warploom "
                  "support` lists what is",
                  100 * share, 100 * kMeasuredShare));
}

}  // namespace warploom
