// One line of CSV at a time: all that sweeps and plans need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warploom::collector {

// The cells of a line, quotes undone. A quote that is not closed leaves `complete` false.
struct CsvCells {
  std::vector<std::string> cells;
  bool complete = true;
};
CsvCells split_csv_line(std::string_view line);

// The line of these cells, quoted where a comma, a quote or a '#' demands it, with its newline.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace warploom::collector
