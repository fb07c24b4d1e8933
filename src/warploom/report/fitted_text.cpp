#include "warploom/report/fitted_text.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace warploom {
namespace {

constexpr std::size_t kBetween = 2;        // blanks between columns
constexpr std::size_t kLeastWrapped = 20;  // a narrower column is not wrapped

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t width_of(std::string_view text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

// Byte at which code point `column` begins.
std::size_t byte_at(std::string_view text, std::size_t column) {
  std::size_t at = 0;
  while (at < text.size() && column > 0) {
    ++at;
    while (at < text.size() && continues(text[at])) ++at;
    --column;
  }
  return at;
}

std::string_view cut(std::string_view text, std::size_t from, std::size_t to) {
  const std::size_t begin = byte_at(text, from);
  return text.substr(begin, byte_at(text.substr(begin), to - from));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The first word of `text`, which is taken from it; in a command quotes hold words together.
std::string_view take_word(std::string_view& text, bool command) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < text.size() && (quoted || text[end] != ' '); ++end)
    if (command && text[end] == '\'') quoted = !quoted;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

struct Wrapping {
  std::size_t columns = 0, further = 0;  // of a line, and how far in the second and later ones begin
  std::string_view joint = {};           // at the end of each line but the last
};

std::vector<std::string> wrapped(std::string_view words, const Wrapping& how) {
  std::vector<std::string> lines(1);
  while (!words.empty()) {
    const std::string_view word = take_word(words, !how.joint.empty());
    std::string& line = lines.back();
    const bool begins = line.find_first_not_of(' ') == line.npos;
    if (begins || width_of(line) + 1 + width_of(word) + how.joint.size() <= how.columns) {
      line += (begins ? "" : " ") + std::string(word);
      continue;
    }
    line += how.joint;
    lines.push_back(std::string(how.further, ' ') + std::string(word));
  }
  return lines;
}

// Where the last column of a line that blanks lay out begins; 0: they do not.
std::size_t last_column(std::string_view line) {
  const std::size_t gap = line.rfind("  ");
  return gap == line.npos || gap < line.find_first_not_of(' ') ? 0 : gap + 2;
}

void add_prose(std::string& text, std::string_view line, std::size_t columns) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t last = last_column(line);
  std::size_t from = begin;  // what stands before it stays
  if (last > 0) from = last;
  if (columns == 0 || width_of(line) <= columns || from * 2 > columns) {
    text += std::string(line) + "\n";
    return;
  }
  constexpr std::string_view kCommand = "warploom ";
  const std::string_view words = line.substr(from);
  const Wrapping how{.columns = columns - from,
                     .further = last > 0 ? 0 : kBetween,
                     .joint = words.starts_with(kCommand) ? " \\" : ""};
  std::string before(line.substr(0, from));
  for (const std::string& part : wrapped(words, how)) {
    text += before + part + "\n";
    before.assign(width_of(before), ' ');
  }
}

struct Extent {
  std::size_t begin = 0, end = 0;
  std::size_t width() const { return end - begin; }
};

// The columns that a line of dashes rules; empty: it is none.
std::vector<Extent> ruled(std::string_view line) {
  std::vector<Extent> columns;
  if (line.empty() || line.find_first_not_of("- ") != line.npos || line.front() != '-') return {};
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    columns.push_back({at, end});
    if (end < line.size() && (line.substr(end, kBetween) != "  " || end + kBetween >= line.size())) return {};
    at = end + (end < line.size() ? kBetween : 0);
  }
  return columns;
}

// A table as it was printed: its title, rules and rows, a cell for each column.
class PrintedTable {
 public:
  explicit PrintedTable(std::vector<Extent> columns) : columns_(std::move(columns)) {}

  // False: the line is of no such table.
  bool take(std::string_view line) {
    if (line.empty() || width_of(line) > columns_.back().end) return false;
    if (!rows_.empty() && !ruled(line).empty()) {
      rows_.emplace_back();
      return true;
    }
    std::vector<std::string> cells;
    std::vector<bool> right;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view cell = cut(line, columns_[i].begin, columns_[i].end);
      if (i > 0 && !trimmed(cut(line, columns_[i - 1].end, columns_[i].begin)).empty()) return false;
      cells.emplace_back(trimmed(cell));
      right.push_back(cell.starts_with(' ') && !trimmed(cell).empty());
    }
    right_.resize(columns_.size());
    for (std::size_t i = 0; i < right.size(); ++i) right_[i] = right_[i] || right[i];
    rows_.push_back(std::move(cells));
    return true;
  }

  std::string text(std::size_t width) const {
    const std::size_t keys = key_columns(width);
    std::string text;
    for (std::size_t next = keys; next < columns_.size();) {
      std::vector<std::size_t> part, widths;
      for (std::size_t i = 0; i < keys; ++i) add(part, widths, i, columns_[i].width());
      do {
        const std::size_t room = width > used(widths) + kBetween ? width - used(widths) - kBetween : 0;
        add(part, widths, next, std::min(columns_[next].width(), std::max(room, kLeastWrapped)));
        ++next;
      } while (next < columns_.size() && goes_on(next, width, widths));
      text += (text.empty() ? "" : "\n") + part_text(part, widths);
    }
    return text;
  }

 private:
  static void add(std::vector<std::size_t>& part, std::vector<std::size_t>& widths, std::size_t column,
                  std::size_t width) {
    part.push_back(column);
    widths.push_back(width);
  }

  static std::size_t used(const std::vector<std::size_t>& widths) {
    std::size_t sum = 0;
    for (const std::size_t width : widths) sum += width + (sum > 0 ? kBetween : 0);
    return sum;
  }

  // Whether column `next` fits beside the others; words of the last one may wrap.
  bool goes_on(std::size_t next, std::size_t width, const std::vector<std::size_t>& widths) const {
    const std::size_t taken = used(widths) + kBetween;
    if (taken + columns_[next].width() <= width) return true;
    return next + 1 == columns_.size() && !right_[next] && taken + kLeastWrapped <= width;
  }

  // As few first columns as tell the rows apart, if they leave half of the width; else one.
  std::size_t key_columns(std::size_t width) const {
    for (std::size_t keys = 1; keys < columns_.size() && columns_[keys - 1].end * 2 <= width; ++keys) {
      std::set<std::vector<std::string>> seen;
      const bool apart = std::all_of(rows_.begin(), rows_.end(), [&](const std::vector<std::string>& row) {
        return row.empty() || seen.emplace(row.begin(), row.begin() + std::ptrdiff_t(keys)).second;
      });
      if (apart) return keys;
    }
    return 1;
  }

  // A word that is wider than its column is cut.
  static std::vector<std::string> cell_lines(const std::string& cell, std::size_t width) {
    std::vector<std::string> lines;
    for (const std::string& line : wrapped(cell, {.columns = width}))
      for (std::size_t from = 0; from == 0 || from < width_of(line); from += width)
        lines.emplace_back(cut(line, from, from + width));
    return lines;
  }

  std::string part_text(const std::vector<std::size_t>& part, const std::vector<std::size_t>& widths) const {
    std::string text;
    for (const std::vector<std::string>& row : rows_) {
      std::vector<std::vector<std::string>> cells;
      std::size_t height = 1;
      for (std::size_t i = 0; i < part.size(); ++i) {
        cells.push_back(row.empty() ? std::vector{std::string(widths[i], '-')}
                                    : cell_lines(row[part[i]], widths[i]));
        height = std::max(height, cells.back().size());
      }
      for (std::size_t line = 0; line < height; ++line) text += line_text(cells, line, part, widths);
    }
    return text;
  }

  std::string line_text(const std::vector<std::vector<std::string>>& cells, std::size_t line,
                        const std::vector<std::size_t>& part, const std::vector<std::size_t>& widths) const {
    std::string text;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::string cell = line < cells[i].size() ? cells[i][line] : std::string();
      const std::size_t pad = widths[i] - std::min(widths[i], width_of(cell));
      text += (i > 0 ? "  " : "");
      text += right_[part[i]] ? std::string(pad, ' ') + cell : cell + std::string(pad, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  std::vector<Extent> columns_;
  std::vector<bool> right_;                     // columns whose cells stand at the right
  std::vector<std::vector<std::string>> rows_;  // the title first; an empty row is a rule
};

}  // namespace

std::string fitted_text(std::string_view text, const TextWidth& width) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::string fitted;
  for (std::size_t i = 0; i < lines.size();) {
    const std::vector<Extent> columns = i + 1 < lines.size() ? ruled(lines[i + 1]) : std::vector<Extent>();
    std::optional<PrintedTable> table;
    if (width.tables > 0 && columns.size() > 1 && columns.back().end > width.tables) table.emplace(columns);
    if (!table || !table->take(lines[i])) {
      add_prose(fitted, lines[i++], width.prose);
      continue;
    }
    while (++i < lines.size() && table->take(lines[i])) {
    }
    fitted += table->text(width.tables);
  }
  return fitted;
}

}  // namespace warploom
