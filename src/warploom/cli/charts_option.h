// --charts: charts of characters below the tables. A terminal gets them without asking; what a program or a
// file reads does not change.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "warploom/report/terminal_charts.h"

namespace warploom {

class Command;

// Where the output goes.
struct ChartPlace {
  bool terminal = false;
  std::string no_color;  // the environment's NO_COLOR: not empty wants none (no-color.org)
  std::string term;      // TERM
  std::string locale;    // the first of LC_ALL, LC_CTYPE, LANG that is set
};
// Nothing where no chart is drawn: on no terminal, on one that draws no lines ("dumb") or has another set of
// characters than UTF-8.
std::optional<ChartStyle> chart_style(const ChartPlace& place, bool asked);

class ChartsOption {
 public:
  // Adds the option. `json`: the command's --json, which outlives this.
  ChartsOption(Command& command, const bool& json);
  bool asked() const { return *asked_; }
  // How charts are drawn. Throws InvalidInput where JSON was asked for with charts.
  std::optional<ChartStyle> style() const;

 private:
  std::shared_ptr<bool> asked_;
  const bool* json_;
};

}  // namespace warploom
