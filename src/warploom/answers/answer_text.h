// An answer as a terminal shows it.
#pragma once

#include <optional>
#include <string>

#include "warploom/report/terminal_charts.h"

namespace warploom {

struct AnswerText {
  std::optional<ChartStyle> charts;  // below the tables, where the answer has any
  std::string text;                  // filled by answer()
};

}  // namespace warploom
