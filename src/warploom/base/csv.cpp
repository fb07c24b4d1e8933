#include "warploom/base/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace fs = std::filesystem;
namespace {

// A quote that never ends, or gzip that unpacks to one line, must not take all memory.
constexpr std::size_t kMostRowBytes = std::size_t(16) << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

struct CsvReader::State {
  fs::path path;
  gzFile file = nullptr;
  std::string buffer;        // unread text
  std::size_t position = 0;  // first unread byte of buffer
  bool end_of_file = false, short_rows = false;
  std::size_t line = 0;       // line of the current row
  std::size_t next_line = 1;  // line at `position`
  std::string record;         // text of the current row without its line end
  std::string unquoted;       // storage of cells that had quotes
  std::vector<std::string_view> cells;
  std::vector<std::string> columns;

  ~State() {
    if (file != nullptr) gzclose_r(file);
  }

  bool fill() {
    if (end_of_file) return false;
    buffer.erase(0, position);
    position = 0;
    const std::size_t old_size = buffer.size();
    if (old_size > kMostRowBytes)
      throw InvalidInput(
          fmt::format("{}:{}: a row is longer than {} bytes", path.string(), next_line, kMostRowBytes));
    constexpr std::size_t kChunk = 1 << 18;
    buffer.resize(old_size + kChunk);
    const int got = gzread(file, buffer.data() + old_size, static_cast<unsigned>(kChunk));
    int code = Z_OK;
    if (got < static_cast<int>(kChunk)) gzerror(file, &code);
    if (got < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR) {
      throw IoError(fmt::format("{}: gzip data is damaged or ends too early", path.string()));
    }
    buffer.resize(old_size + static_cast<std::size_t>(got));
    if (got == 0) end_of_file = true;
    return got > 0;
  }

  // Skips a byte order mark and the '#' lines before the header; their quotes mean nothing.
  void skip_preamble() {
    while (buffer.size() < kByteOrderMark.size() && fill()) {
    }
    if (buffer.starts_with(kByteOrderMark)) position = kByteOrderMark.size();
    for (;;) {
      if (position >= buffer.size() && !fill()) return;
      const char first = buffer[position];
      if (first != '#' && first != '\n' && first != '\r') return;
      std::size_t stop = buffer.find('\n', position);
      while (stop == std::string::npos && fill()) stop = buffer.find('\n', position);
      position = stop == std::string::npos ? buffer.size() : stop + 1;
      ++next_line;
    }
  }

  void skip_to(std::span<const std::string_view> headers) {
    constexpr std::size_t kFarthest = 1 << 20;
    std::size_t ahead = 0, lines = 0;  // from `position`, which fill() moves with the text
    while (ahead < kFarthest) {
      std::size_t stop = buffer.find('\n', position + ahead);
      while (stop == std::string::npos && fill()) stop = buffer.find('\n', position + ahead);
      const std::string_view text(buffer.data() + position + ahead, buffer.size() - position - ahead);
      if (std::any_of(headers.begin(), headers.end(),
                      [&](auto header) { return text.starts_with(header); })) {
        position += ahead;
        next_line += lines;
        return;
      }
      if (stop == std::string::npos) return;
      ahead = stop + 1 - position;
      ++lines;
    }
  }

  // Copies the next record (which may span lines inside quotes) into `record`. False at the end.
  bool read_record() {
    line = next_line;
    std::size_t scan = position;
    bool quoted = false;
    for (;;) {
      if (!quoted) {
        const std::size_t stop = buffer.find_first_of("\n\"", scan);
        if (stop != std::string::npos && buffer[stop] == '\n') {
          take_record(stop, stop + 1);
          return true;
        }
        if (stop != std::string::npos) {
          quoted = true;
          scan = stop + 1;
          continue;
        }
      } else {
        const std::size_t stop = buffer.find('"', scan);
        if (stop != std::string::npos) {
          quoted = false;
          scan = stop + 1;
          continue;
        }
      }
      const std::size_t seen = buffer.size() - position;
      if (!fill()) {
        if (quoted)
          throw InvalidInput(fmt::format("{}:{}: a quoted cell is not closed", path.string(), line));
        if (position >= buffer.size()) return false;
        take_record(buffer.size(), buffer.size());
        return true;
      }
      scan = position + seen;
    }
  }

  void take_record(std::size_t stop, std::size_t resume) {
    record.assign(buffer, position, stop - position);
    for (const char c : record) next_line += c == '\n' ? 1 : 0;
    ++next_line;
    if (!record.empty() && record.back() == '\r') record.pop_back();
    position = resume;
  }

  void split_record() {
    cells.clear();
    if (record.find('"') == std::string::npos) {
      std::size_t start = 0;
      for (;;) {
        const std::size_t comma = record.find(',', start);
        if (comma == std::string::npos) break;
        cells.emplace_back(record.data() + start, comma - start);
        start = comma + 1;
      }
      cells.emplace_back(record.data() + start, record.size() - start);
      return;
    }
    split_quoted_record();
  }

  void split_quoted_record() {
    unquoted.clear();
    unquoted.reserve(record.size());
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    std::size_t start = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < record.size(); ++i) {
      const char c = record[i];
      if (c == '"') {
        if (quoted && i + 1 < record.size() && record[i + 1] == '"') {
          unquoted.push_back('"');
          ++i;
        } else {
          quoted = !quoted;
        }
      } else if (c == ',' && !quoted) {
        ranges.emplace_back(start, unquoted.size());
        start = unquoted.size();
      } else {
        unquoted.push_back(c);
      }
    }
    ranges.emplace_back(start, unquoted.size());
    for (const auto& [begin, end] : ranges) cells.emplace_back(unquoted.data() + begin, end - begin);
  }
};

CsvReader::CsvReader(const fs::path& path, const CsvHabits& habits) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.path = path;
  const int file = open_regular_file(path, "CSV file");
  s.file = gzdopen(file, "rb");
  if (s.file == nullptr) {
    ::close(file);
    throw IoError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  }
  gzbuffer(s.file, 1 << 17);
  s.skip_preamble();
  if (!habits.headers.empty()) s.skip_to(habits.headers);
  s.short_rows = habits.short_rows;
  if (!s.read_record()) {
    throw InvalidInput(fmt::format("{}: is empty, expected a CSV header line", path.string()));
  }
  s.split_record();
  s.columns.assign(s.cells.begin(), s.cells.end());
}

CsvReader::~CsvReader() = default;
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;

const fs::path& CsvReader::path() const { return state_->path; }
const std::vector<std::string>& CsvReader::columns() const { return state_->columns; }
std::size_t CsvReader::line() const { return state_->line; }
std::string_view CsvReader::cell(std::size_t column) const { return state_->cells[column]; }

std::optional<std::size_t> CsvReader::find_column(std::string_view name) const {
  for (std::size_t i = 0; i < state_->columns.size(); ++i) {
    if (state_->columns[i] == name) return i;
  }
  return std::nullopt;
}

std::size_t CsvReader::column(std::string_view name) const {
  if (const auto index = find_column(name)) return *index;
  throw InvalidInput(fmt::format("{}: has no column '{}'{}; its columns are: {}", state_->path.string(), name,
                                 did_you_mean(name, state_->columns), fmt::join(state_->columns, ", ")));
}

bool CsvReader::next() {
  State& s = *state_;
  do {
    if (!s.read_record()) return false;
  } while (s.record.empty());
  s.split_record();
  if (s.short_rows && s.cells.size() < s.columns.size()) s.cells.resize(s.columns.size());
  if (s.cells.size() != s.columns.size()) {
    throw InvalidInput(fmt::format("{}:{}: has {} cells, expected {} as in the header", s.path.string(),
                                   s.line, s.cells.size(), s.columns.size()));
  }
  return true;
}

std::string CsvReader::where(std::size_t column) const {
  return fmt::format("{}:{}: column '{}'", state_->path.string(), state_->line, state_->columns[column]);
}

std::int64_t CsvReader::integer(std::size_t column) const {
  const std::string_view text = cell(column);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  const double real_value = text.empty() ? std::nan("") : real(column);
  if (real_value == std::floor(real_value) && std::abs(real_value) < 9e15)
    return static_cast<std::int64_t>(real_value);
  throw InvalidInput(fmt::format("{}: '{}' is not an integer", where(column), text));
}

double CsvReader::real(std::size_t column) const {
  const std::string_view text = cell(column);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw InvalidInput(fmt::format("{}: '{}' is not a finite number", where(column), text));
  }
  return value;
}

CsvWriter::CsvWriter(std::vector<std::string> columns) : width_(columns.size()) { append(columns); }

void CsvWriter::row(const std::vector<std::string>& cells) {
  WARPLOOM_ASSERT(cells.size() == width_);
  append(cells);
}

void CsvWriter::append(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text_.push_back(',');
    // An empty lone cell would read as a blank line, a leading '#' in the header as a remark, a byte order
    // mark as the file's.
    const bool mistakable = (cells.size() == 1 && cells[i].empty()) ||
                            (i == 0 && (cells[i].starts_with('#') || cells[i].starts_with(kByteOrderMark)));
    if (!mistakable && cells[i].find_first_of(",\"\n\r") == std::string::npos) {
      text_ += cells[i];
      continue;
    }
    text_.push_back('"');
    for (const char c : cells[i]) {
      if (c == '"') text_.push_back('"');
      text_.push_back(c);
    }
    text_.push_back('"');
  }
  text_.push_back('\n');
}

}  // namespace warploom
