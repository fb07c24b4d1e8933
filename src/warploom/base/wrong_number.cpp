#include "warploom/base/wrong_number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace warploom {
namespace {

// Doubles hold every integer below it.
constexpr double kMostExact = 9'007'199'254'740'992;

}  // namespace

std::string wrong_integer_text(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() &&
                     std::abs(value) < kMostExact && value == std::trunc(value);
  if (whole) return fmt::format("'{}' is not an integer, expected it in digits: {:.0f}", text, value);
  return fmt::format("'{}' is not an integer, expected a whole number in digits, for example 4096", text);
}

}  // namespace warploom
