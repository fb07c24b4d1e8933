// Releases of an engine between two ends, both inside: "0.24" to "0.24" holds 0.24.0 and 0.24.1.
#pragma once

#include <string_view>
#include <vector>

namespace warploom {

class ReleaseRange {
 public:
  ReleaseRange() = default;  // every release
  // Dotted numbers. Throws InvalidInput, with `where`, on anything else and on ends in the wrong order.
  ReleaseRange(std::string_view from, std::string_view to, std::string_view where);

  // A release whose leading numbers cannot be read is outside. No allocation.
  bool holds(std::string_view release) const;
  bool overlaps(const ReleaseRange& other) const;

 private:
  std::vector<int> from_, to_;
};

}  // namespace warploom
