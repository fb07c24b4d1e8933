// Facts that change from version to version, as rows in order of `since`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "warploom/base/version.h"

namespace warploom {

// Whether `version` is one that can be compared: a nightly build is none.
inline bool is_release(std::string_view version) {
  return !version.empty() && version.front() >= '0' && version.front() <= '9';
}

// The day in the name of a nightly build, "20260402" of "nightly-dev-cu13-20260402-d7256eb6"; empty: none.
constexpr std::string_view day_of_build(std::string_view version) {
  constexpr std::size_t kDigits = 8;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = 0; at < version.size();) {
    const std::size_t end = std::min(version.find('-', at), version.size());
    const std::string_view part = version.substr(at, end - at);
    if (part.size() == kDigits && part.starts_with("20") && std::all_of(part.begin(), part.end(), digit))
      return part;
    at = end + 1;
  }
  return {};
}

// `version`, with the day where it is no release and names none. An empty day: not known.
inline std::string dated_version(std::string_view version, std::string_view day) {
  std::string dated(version);
  if (is_release(version) || day.empty() || !day_of_build(version).empty()) return dated;
  return dated.append("-").append(day);
}

// The last row that `version` has reached; the first stands for everything before it. A nightly build that
// names its day has reached what was released by then; any other name and none have reached the newest. Row
// has members `since`, as "0.24.0", and `released`, its day as "20260402".
template <class Row, std::size_t N>
const Row& row_of_version(const std::array<Row, N>& rows, std::string_view version) {
  const bool release = is_release(version);
  const std::string_view day = release ? std::string_view() : day_of_build(version);
  std::size_t at = 0;
  for (std::size_t i = 1; i < N; ++i)
    if (release ? compare_versions(version, rows[i].since) >= 0 : day.empty() || day >= rows[i].released)
      at = i;
  return rows[at];
}

}  // namespace warploom
