#include <algorithm>
#include <fstream>

#include "warploom/collector/csv_line.h"
#include "warploom/collector/failure.h"
#include "warploom/collector/sweep_plan.h"

namespace warploom::collector {
namespace {

constexpr std::size_t kAbsent = ~std::size_t(0);

std::size_t find_column(const std::vector<std::string>& columns, const std::string& name) {
  const auto at = std::find(columns.begin(), columns.end(), name);
  return at == columns.end() ? kAbsent : std::size_t(at - columns.begin());
}

}  // namespace

std::vector<PlannedCase> read_plan(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file)
    throw FileFailure(path.string() + ": cannot be read, expected a plan that `warploom sweep-plan` wrote");
  std::vector<PlannedCase> plan;
  std::vector<std::string> columns;
  std::size_t op_column = kAbsent, kernel_column = kAbsent, number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line == "\r" || (columns.empty() && line.front() == '#')) continue;
    const std::string where = path.string() + ":" + std::to_string(number);
    CsvCells row = split_csv_line(line);
    if (columns.empty()) {
      columns = std::move(row.cells);
      op_column = find_column(columns, "operator");
      kernel_column = find_column(columns, "kernel");
      if (op_column == kAbsent)
        throw BadInput(where + ": no column 'operator', expected a plan that `warploom sweep-plan` wrote");
      continue;
    }
    if (!row.complete || row.cells.size() != columns.size())
      throw BadInput(where + ": " + std::to_string(row.cells.size()) + " cells, expected " +
                     std::to_string(columns.size()) + "; was the plan cut off?");
    plan.push_back({OperatorText::parse(row.cells[op_column], where),
                    kernel_column == kAbsent ? std::string() : row.cells[kernel_column]});
  }
  if (plan.empty()) throw BadInput(path.string() + ": the plan holds no operator");
  return plan;
}

}  // namespace warploom::collector
