#include "warploom/collector/csv_line.h"

namespace warploom::collector {

CsvCells split_csv_line(std::string_view line) {
  CsvCells result;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::string cell;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cell.push_back('"');
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      result.cells.push_back(std::move(cell));
      cell.clear();
    } else {
      cell.push_back(c);
    }
  }
  result.cells.push_back(std::move(cell));
  result.complete = !quoted;
  return result;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line.push_back(',');
    if (cell.find_first_of(",\"#\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line.push_back('"');
    for (const char c : cell) {
      if (c == '"') line.push_back('"');
      line.push_back(c);
    }
    line.push_back('"');
  }
  line.push_back('\n');
  return line;
}

}  // namespace warploom::collector
