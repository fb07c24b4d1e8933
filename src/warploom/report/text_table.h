// Plain-text tables for terminals: columns padded to their widest cell, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace warploom {

enum class Align { Left, Right };

struct TableColumn {
  std::string title;
  Align align = Align::Right;
};

class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns);
  // The number of cells must equal the number of columns.
  void add_row(std::vector<std::string> cells);
  // A horizontal line between the rows before and after.
  void add_rule();
  bool empty() const { return rows_.empty(); }
  // Title line, rule, rows; every line ends in a newline and has no trailing blanks. UTF-8 counts as one
  // column a code point.
  std::string text() const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace warploom
