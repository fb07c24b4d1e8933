#include "warploom/steps/release_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// Takes the first number and the dot behind it off; nothing: it does not begin with a whole number.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(std::size_t(end - text.data()));
  if (text.empty()) return value;
  if (text.front() != '.') return std::nullopt;
  text.remove_prefix(1);
  return value;
}

// The end of a range up to the numbers that both have: "0.24" reaches as far as any 0.24.x.
bool is_before(const std::vector<int>& end, const std::vector<int>& begin) {
  const auto shorter = std::ptrdiff_t(std::min(end.size(), begin.size()));
  return std::lexicographical_compare(end.begin(), end.begin() + shorter, begin.begin(),
                                      begin.begin() + shorter);
}

std::vector<int> numbers_of(std::string_view text, std::string_view where) {
  std::vector<int> numbers;
  std::string_view rest = text;
  do {
    const std::optional<int> number = take_number(rest);
    if (!number)
      throw InvalidInput(
          fmt::format("{}: '{}' is no release, expected numbers with dots such as 0.24", where, text));
    numbers.push_back(*number);
  } while (!rest.empty());
  return numbers;
}

// -1, 0 or 1 as the leading numbers of the release are below, at or above `end`; what it lacks counts as 0.
std::optional<int> compare(std::string_view release, const std::vector<int>& end) {
  for (const int wanted : end) {
    int found = 0;
    if (!release.empty()) {
      const std::optional<int> number = take_number(release);
      if (!number) return std::nullopt;
      found = *number;
    }
    if (found != wanted) return found < wanted ? -1 : 1;
  }
  return 0;
}

}  // namespace

ReleaseRange::ReleaseRange(std::string_view from, std::string_view to, std::string_view where)
    : from_(numbers_of(from, where)), to_(numbers_of(to, where)) {
  if (compare(from, to_).value_or(0) > 0)
    throw InvalidInput(
        fmt::format("{}: begins with {} and ends with {}, expected the older first", where, from, to));
}

bool ReleaseRange::holds(std::string_view release) const {
  const std::optional<int> low = compare(release, from_), high = compare(release, to_);
  return low && high && *low >= 0 && *high <= 0;
}

bool ReleaseRange::overlaps(const ReleaseRange& other) const {
  return !is_before(to_, other.from_) && !is_before(other.to_, from_);
}

}  // namespace warploom
