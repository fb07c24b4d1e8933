// Refuses answers that rest on too little measurement, where the user asked for that.
#pragma once

#include <span>
#include <string>

#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {

// A run counts as measured from this share of its kernels' time on, which is where its tier says so.
inline constexpr double kMeasuredShare = 1 - kUntoldShare;

// Share of the kernels' time that is priced by rows of the same GPU; 1 without kernels.
double measured_share_of(std::span<const KernelTime> kernels);

// Whether a run of these kernels counts as measured; and in words why one that does not is left out where
// many are asked about.
bool is_measured(std::span<const KernelTime> kernels);
std::string too_little_measured();

// Where `asked` (as requires_measured takes it) requires it: throws Unsupported "require_tier: ..." that says
// the share.
void check_required_tier(const std::string& asked, std::span<const KernelTime> kernels);

}  // namespace warploom
