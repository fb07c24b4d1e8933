#include "warploom/collector/sweep_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "warploom/collector/csv_line.h"
#include "warploom/collector/failure.h"

namespace warploom::collector {
namespace {

const std::vector<std::string>& columns() {
  static const std::vector<std::string> names{
      "gpu",           "framework", "version",   "kernel",       "latency_us",       "n_samples",
      "marks",         "interval",  "outliers",  "sm_clock_mhz", "memory_clock_mhz", "power_w",
      "temperature_c", "throttle",  "algorithm", "operator"};
  return names;
}
constexpr std::size_t kGpu = 0, kKernel = 3, kOperator = 15;

std::string key_of(const std::string& kernel, const std::string& op) { return kernel + '\x1f' + op; }

// Shortest text of at most `digits` significant digits; empty for what is not known.
std::string number(double value, int digits) {
  if (!std::isfinite(value) || value < 0) return "";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

}  // namespace

SweepFile::SweepFile(const std::filesystem::path& path, Mode mode, const DeviceFacts& facts)
    : path_(path), gpu_(facts.name) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  const bool exists = !error && bytes > 0;
  if (exists && mode == Mode::Fresh)
    throw BadInput(path.string() +
                   ": holds a sweep already; add --resume to go on with it, or name another folder");
  if (exists) read_done(facts);
  file_.reset(std::fopen(path.c_str(), exists ? "r+b" : "wb"));
  if (!file_) throw FileFailure(path.string() + ": cannot be written: " + std::strerror(errno));
  if (!exists) {
    std::string head = "# warploom sweep, version 1\n# device: " + facts.name + ", compute capability " +
                       std::to_string(facts.compute_capability) + ", " + std::to_string(facts.sm_count) +
                       " SMs, " + std::to_string(facts.l2_bytes) + " bytes of L2, driver " + facts.driver +
                       ", " + facts.libraries + "\n";
    write(head + csv_line(columns()));
    return;
  }
  if (dropped_partial_ && ::ftruncate(::fileno(file_.get()), length_) != 0)
    throw FileFailure(path.string() + ": the cut-off last line cannot be removed: " + std::strerror(errno));
  std::fseek(file_.get(), length_, SEEK_SET);
}

SweepFile::~SweepFile() = default;

void SweepFile::read_done(const DeviceFacts& facts) {
  std::ifstream in(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) throw FileFailure(path_.string() + ": cannot be read");
  std::size_t whole = text.rfind('\n');
  whole = whole == std::string::npos ? 0 : whole + 1;
  dropped_partial_ = whole < text.size();
  length_ = long(whole);
  std::istringstream lines(text.substr(0, whole));
  bool header = false;
  std::size_t line_number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++line_number;
    if (line.empty() || (!header && line.front() == '#')) continue;
    const CsvCells row = split_csv_line(line);
    const std::string where = path_.string() + ":" + std::to_string(line_number);
    if (!header) {
      if (row.cells != columns())
        throw BadInput(where + ": is no sweep of this version; name another folder");
      header = true;
      continue;
    }
    if (!row.complete || row.cells.size() != columns().size())
      throw BadInput(where + ": damaged row; remove the line, then --resume measures it again");
    if (row.cells[kGpu] != facts.name)
      throw BadInput(where + ": measured on " + row.cells[kGpu] + ", but this device is " + facts.name +
                     "; name another folder");
    done_.insert(key_of(row.cells[kKernel], row.cells[kOperator]));
    ++rows_before_;
  }
  if (!header) throw BadInput(path_.string() + ": is no sweep; remove it or name another folder");
}

bool SweepFile::is_done(const OperatorText& op, const std::string& kernel) const {
  return done_.contains(key_of(kernel, op.text()));
}

void SweepFile::append(const SweepRow& row) {
  const DeviceState& state = row.state;
  write(csv_line({gpu_, std::string(kFramework), row.kernel.version, row.kernel.name,
                  number(row.latency.median * 1e6, 7), std::to_string(row.latency.samples),
                  row.throttled ? "throttled" : "", number(row.latency.relative_half_width, 3),
                  std::to_string(row.latency.outliers), number(state.sm_clock_mhz, 6),
                  number(state.memory_clock_mhz, 6), number(state.power_w, 4), number(state.temperature_c, 4),
                  state.throttle, row.algorithm, row.op.text()}));
  done_.insert(key_of(row.kernel.name, row.op.text()));
}

void SweepFile::write(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && std::fflush(file_.get()) == 0;
  if (!written) {
    const std::string why = std::strerror(errno);
    // Whole rows stay; whatever part of this one reached the disk goes.
    if (::ftruncate(::fileno(file_.get()), length_) != 0) length_ = -1;
    throw FileFailure(path_.string() + ": cannot be written: " + why +
                      "; the rows before are kept: make room, then run again with --resume");
  }
  length_ += long(text.size());
}

}  // namespace warploom::collector
