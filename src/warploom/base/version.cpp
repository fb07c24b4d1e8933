#include "warploom/base/version.h"

#include <algorithm>
#include <cctype>

namespace warploom {
namespace {

// The next number of the text, which is shortened by it; -1 at its end.
long next_number(std::string_view& text) {
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0) text.remove_prefix(1);
  long value = text.empty() ? -1 : 0;
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    value = std::min(value * 10 + (text.front() - '0'), 1000000000L);
    text.remove_prefix(1);
  }
  return value;
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const long x = next_number(a), y = next_number(b);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

double version_position(std::string_view version) {
  constexpr int kNumbers = 4;
  constexpr double kStep = 1000;
  if (version.empty() || std::isdigit(static_cast<unsigned char>(version.front())) == 0) return -1;
  double position = 0;
  for (int i = 0; i < kNumbers; ++i)
    position = position * kStep + std::clamp(double(next_number(version)), 0.0, kStep - 1);
  return position;
}

}  // namespace warploom
