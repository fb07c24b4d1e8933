// Facts that change from version to version, as rows in order of `since`.
#pragma once

#include <array>
#include <string_view>

#include "warploom/base/version.h"

namespace warploom {

// Whether `version` is one that can be compared: a nightly build is none.
inline bool is_release(std::string_view version) {
  return !version.empty() && version.front() >= '0' && version.front() <= '9';
}

// The last row that `version` has reached; the first stands for everything before it. What is no release has
// reached the newest. Row has a member `since`, as "0.24.0".
template <class Row, std::size_t N>
const Row& row_of_version(const std::array<Row, N>& rows, std::string_view version) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < N; ++i)
    if (!is_release(version) || compare_versions(version, rows[i].since) >= 0) at = i;
  return rows[at];
}

}  // namespace warploom
