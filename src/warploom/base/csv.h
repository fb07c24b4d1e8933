// Streaming CSV, plain or gzip, with a header line and RFC 4180 quoting.
//
// A byte order mark and lines that start with '#' before the header are skipped. Cells stay valid until the
// next call of next(). Errors name file, line, column and what was expected. Not thread-safe; one reader per
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warploom {

// What some programs' tables do and others never should.
struct CsvHabits {
  // Other text may stand before the header, which begins with one of these: the lines before the first that
  // does are skipped; without such a line within 1 MiB none is. Empty: nothing stands there.
  std::span<const std::string_view> headers;
  bool short_rows = false;  // cells that end a row may be missing, and are empty then
};

class CsvReader {
 public:
  // Opens the file and reads its header. Throws IoError when it cannot be read, InvalidInput when empty.
  explicit CsvReader(const std::filesystem::path& path, const CsvHabits& habits = {});
  ~CsvReader();
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;

  const std::filesystem::path& path() const;
  const std::vector<std::string>& columns() const;

  // Index of a column. column() throws InvalidInput that lists the nearest names.
  std::size_t column(std::string_view name) const;
  std::optional<std::size_t> find_column(std::string_view name) const;

  // Advances to the next data row; false at the end. Blank lines are skipped.
  // Throws InvalidInput on a row with a wrong number of cells or an unclosed quote, IoError on truncated
  // gzip.
  bool next();

  // 1-based line of the current row in the (uncompressed) file.
  std::size_t line() const;

  std::string_view cell(std::size_t column) const;
  // Numbers of the current row. Throw InvalidInput on text, NaN or infinity, or (integer) a fraction.
  std::int64_t integer(std::size_t column) const;
  double real(std::size_t column) const;
  bool empty(std::size_t column) const { return cell(column).empty(); }

  // "path:line: column 'name': message", for errors that the caller finds.
  std::string where(std::size_t column) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Builds CSV text with quoting where needed (comma, quote, newline, a cell that reads as a blank, a remark or
// a byte order mark). CsvReader gives back the same cells.
class CsvWriter {
 public:
  explicit CsvWriter(std::vector<std::string> columns);
  // The number of cells must equal the number of columns.
  void row(const std::vector<std::string>& cells);
  const std::string& text() const { return text_; }

 private:
  void append(const std::vector<std::string>& cells);
  std::size_t width_;
  std::string text_;
};

}  // namespace warploom
