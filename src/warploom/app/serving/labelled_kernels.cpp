#include "warploom/app/serving/labelled_kernels.h"

#include <algorithm>
#include <numeric>

namespace warploom {
namespace {

constexpr auto kLongestFirst = [](const auto& a, const auto& b) { return a.time > b.time; };

}  // namespace

Tier weakest_tier(std::span<const KernelTime> kernels) {
  Tier weakest = Tier::Measured;
  for (const KernelTime& kernel : kernels) weakest = std::max(weakest, kernel.source.tier);
  return weakest;
}

KernelTrust trust_of(std::span<const KernelTime> kernels) {
  KernelTrust trust;
  const auto seconds = seconds_by_tier(kernels);
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  if (all <= 0) return trust;
  double held = 0;
  bool told = false;
  for (const auto& [tier, name] : EnumNames<Tier>::kNames) {
    const double share = seconds[std::size_t(tier)] / all;
    trust.tier_shares[std::size_t(tier)] = share;
    held += share;
    if (!told) trust.tier = tier;
    told = told || held >= 1 - kUntoldShare;
  }
  for (const KernelTime& kernel : kernels)
    if (kernel.source.extrapolated) trust.outside_share += kernel.time.value() / all;
  trust.extrapolated = trust.outside_share > kUntoldShare;
  return trust;
}

std::vector<LabelledKernel> kernels_by_label(std::span<const KernelTime> kernels) {
  std::vector<LabelledKernel> labelled;
  for (const KernelTime& kernel : kernels) {
    auto same = std::find_if(labelled.begin(), labelled.end(), [&](const LabelledKernel& known) {
      return known.family == kernel.family && known.label == kernel.label;
    });
    if (same == labelled.end())
      same = labelled.insert(labelled.end(), {.family = kernel.family, .label = kernel.label, .parts = {}});
    same->time += kernel.time;
    same->calls += kernel.calls;
    same->parts.push_back(kernel);
  }
  for (LabelledKernel& kernel : labelled)
    std::stable_sort(kernel.parts.begin(), kernel.parts.end(), kLongestFirst);
  std::stable_sort(labelled.begin(), labelled.end(), kLongestFirst);
  return labelled;
}

std::array<double, EnumNames<Tier>::kNames.size()> seconds_by_tier(std::span<const KernelTime> kernels) {
  std::array<double, EnumNames<Tier>::kNames.size()> seconds{};
  for (const KernelTime& kernel : kernels) seconds[std::size_t(kernel.source.tier)] += kernel.time.value();
  return seconds;
}

}  // namespace warploom
