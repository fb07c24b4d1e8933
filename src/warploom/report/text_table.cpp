#include "warploom/report/text_table.h"

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {
namespace {

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void append_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

TextTable::TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  WARPLOOM_ASSERT(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

void TextTable::add_rule() { rows_.emplace_back(); }

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const TableColumn& column : columns_) widths.push_back(width_of(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  const auto line_of = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = cell_at(i);
      const std::string padding(widths[i] - width_of(cell), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::Left ? cell + padding : padding + cell;
    }
    return line;
  };
  std::string rule;
  for (std::size_t i = 0; i < widths.size(); ++i) rule += (i > 0 ? "  " : "") + std::string(widths[i], '-');

  std::string text;
  append_line(text, line_of([&](std::size_t i) { return columns_[i].title; }));
  append_line(text, rule);
  for (const auto& row : rows_) {
    append_line(text, row.empty() ? rule : line_of([&](std::size_t i) { return row[i]; }));
  }
  return text;
}

}  // namespace warploom
