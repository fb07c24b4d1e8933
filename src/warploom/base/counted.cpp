#include "warploom/base/counted.h"

#include <fmt/format.h>

#include <iterator>

namespace warploom {

std::string count_text(std::int64_t count) {
  std::string digits = fmt::format("{}", count < 0 ? -count : count);
  for (std::ptrdiff_t position = std::ssize(digits) - 3; position > 0; position -= 3) {
    digits.insert(static_cast<std::size_t>(position), 1, ',');
  }
  if (count < 0) digits.insert(0, 1, '-');
  return digits;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : "s");
}

}  // namespace warploom
