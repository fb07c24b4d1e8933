#include "warploom/serving/step_pricer.h"

#include <algorithm>

namespace warploom {

void add_kernel_times(std::vector<KernelTime>& sum, std::span<const KernelTime> kernels) {
  for (const KernelTime& kernel : kernels) {
    const auto same = std::find_if(sum.begin(), sum.end(), [&](const KernelTime& other) {
      return other.family == kernel.family && other.label == kernel.label;
    });
    if (same == sum.end()) {
      sum.push_back(kernel);
    } else {
      same->time += kernel.time;
      same->calls += kernel.calls;
    }
  }
}

}  // namespace warploom
