#include "warploom/base/version.h"

#include <algorithm>
#include <cctype>

namespace warploom {

int compare_versions(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view& text) {
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0)
      text.remove_prefix(1);
    long value = text.empty() ? -1 : 0;
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
      value = std::min(value * 10 + (text.front() - '0'), 1000000000L);
      text.remove_prefix(1);
    }
    return value;
  };
  while (!a.empty() || !b.empty()) {
    const long x = next(a), y = next(b);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

}  // namespace warploom
