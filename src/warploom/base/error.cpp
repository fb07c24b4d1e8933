#include "warploom/base/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace warploom::detail {

void assertion_failed(const char* expression, const char* file, int line) {
  const std::string message =
      fmt::format("warploom bug: {}:{}: assertion failed: {}\n", file, line, expression);
  std::fputs(message.c_str(), stderr);
  std::abort();
}

}  // namespace warploom::detail
