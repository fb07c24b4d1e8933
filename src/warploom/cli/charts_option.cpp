#include "warploom/cli/charts_option.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"

namespace warploom {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string named_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (std::string value = environment(name); !value.empty()) return value;
  return {};
}

// No locale is what containers have, on terminals of UTF-8.
bool has_blocks(std::string locale) {
  if (locale.empty() || locale == "C" || locale == "POSIX") return true;
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace

std::optional<ChartStyle> chart_style(const ChartPlace& place, bool asked) {
  const bool draws = place.terminal && !place.term.empty() && place.term != "dumb";
  if (!asked && (!draws || !has_blocks(place.locale))) return {};
  return ChartStyle{.color = draws && place.no_color.empty()};
}

ChartsOption::ChartsOption(Command& command, const bool& json)
    : asked_(std::make_shared<bool>(false)), json_(&json) {
  const OptionGroup group(command, kOutputGroup);
  command.add_flag("--charts", *asked_, "charts of characters, also where the output is no terminal");
}

std::optional<ChartStyle> ChartsOption::style() const {
  if (*json_) {
    if (*asked_) throw InvalidInput("--charts changes nothing in JSON, expected no --json with it");
    return {};
  }
  return chart_style({.terminal = ::isatty(STDOUT_FILENO) == 1,
                      .no_color = environment("NO_COLOR"),
                      .term = environment("TERM"),
                      .locale = named_locale()},
                     *asked_);
}

}  // namespace warploom
