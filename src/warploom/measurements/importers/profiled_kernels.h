// Sums a profile's kernels by name.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/measurements/import_report.h"

namespace warploom {

class ProfiledKernels {
 public:
  void add(std::string_view name, double microseconds, std::size_t calls, std::size_t as_rows);
  std::vector<ProfiledKernel> by_time() const;  // longest in all first

 private:
  std::map<std::string, ProfiledKernel, std::less<>> kernels_;
};

}  // namespace warploom
