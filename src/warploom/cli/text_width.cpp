#include "warploom/cli/text_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace warploom {
namespace {

constexpr std::size_t kLeast = 20;

std::size_t asked_columns() {
  const char* given = std::getenv("COLUMNS");
  const std::string_view text = given == nullptr ? "" : given;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return error == std::errc() && end == text.data() + text.size() && columns >= kLeast ? columns : 0;
}

std::size_t terminal_columns() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col >= kLeast ? size.ws_col : 0;
}

}  // namespace

TextWidth text_width() {
  const std::size_t asked = asked_columns();
  const std::size_t columns = asked > 0 ? asked : terminal_columns();
  return {.prose = columns, .tables = columns};
}

}  // namespace warploom
