// The file of a sweep: the CSV of measurements/importers/warploom_csv.h with the state of the device beside
// each row, written row by row.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include "warploom/collector/device.h"
#include "warploom/collector/median_interval.h"

namespace warploom::collector {

// As KernelContext::framework of every row.
inline constexpr std::string_view kFramework = "warploom";

struct SweepRow {
  const OperatorText& op;
  const MeasuringDevice::Kernel& kernel;
  MedianEstimate latency;
  DeviceState state;
  std::string algorithm;
  bool throttled = false;  // begun at a clock that was held down
};

// Every row is on disk, whole, when append() returns: a sweep that is killed keeps what it measured.
class SweepFile {
 public:
  enum class Mode { Fresh, Resume };
  // Resume goes on with a file of the same GPU: a last line that was cut off is dropped, the rows before it
  // count as done. A missing file begins anew in both modes. Throws BadInput on a file that exists (Fresh),
  // that holds another GPU or that is no sweep; FileFailure.
  SweepFile(const std::filesystem::path& path, Mode mode, const DeviceFacts& facts);
  ~SweepFile();
  SweepFile(const SweepFile&) = delete;
  SweepFile& operator=(const SweepFile&) = delete;

  bool is_done(const OperatorText& op, const std::string& kernel) const;
  std::size_t rows_before() const { return rows_before_; }  // measured by earlier runs
  bool dropped_partial_line() const { return dropped_partial_; }

  // Throws FileFailure, after taking back what a full disk let through of the row.
  void append(const SweepRow& row);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void read_done(const DeviceFacts& facts);
  void write(const std::string& text);

  std::filesystem::path path_;
  std::string gpu_;
  std::unique_ptr<std::FILE, Close> file_;
  long length_ = 0;
  std::size_t rows_before_ = 0;
  bool dropped_partial_ = false;
  std::unordered_set<std::string> done_;
};

}  // namespace warploom::collector
