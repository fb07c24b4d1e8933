#include "warploom/app/serving/labelled_kernels.h"

#include <algorithm>

namespace warploom {
namespace {

constexpr auto kLongestFirst = [](const auto& a, const auto& b) { return a.time > b.time; };

}  // namespace

Tier weakest_tier(std::span<const KernelTime> kernels) {
  Tier weakest = Tier::Measured;
  for (const KernelTime& kernel : kernels) weakest = std::max(weakest, kernel.source.tier);
  return weakest;
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
