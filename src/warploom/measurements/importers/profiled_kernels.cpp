#include "warploom/measurements/importers/profiled_kernels.h"

#include <algorithm>

#include "warploom/measurements/importers/kernel_names.h"

namespace warploom {

void ProfiledKernels::add(std::string_view name, double microseconds, std::size_t calls,
                          std::size_t as_rows) {
  auto found = kernels_.find(name);
  if (found == kernels_.end()) {
    const KernelName read = read_kernel_name(name);
    found = kernels_.emplace(name, ProfiledKernel{std::string(name), read.family, read.details}).first;
  }
  found->second.calls += calls;
  found->second.time += Seconds(microseconds * 1e-6);
  found->second.as_rows += as_rows;
}

std::vector<ProfiledKernel> ProfiledKernels::by_time() const {
  std::vector<ProfiledKernel> kernels;
  for (const auto& [name, kernel] : kernels_) kernels.push_back(kernel);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  return kernels;
}

}  // namespace warploom
