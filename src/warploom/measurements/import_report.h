// What an import read, kept and left out, file by file and with the reasons.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/units.h"
#include "warploom/measurements/repeat_noise.h"

namespace warploom {

struct SkippedRows {
  std::string reason;
  std::size_t rows = 0;
  std::vector<std::string> examples;  // "path:line ..." of the first few
};

// A kernel of a profile, all its launches together.
struct ProfiledKernel {
  std::string name;
  std::string family;   // as the name tells it; empty: unknown
  std::string details;  // tile, stages and the like in the name
  std::size_t calls = 0;
  Seconds time{0};          // of all calls
  std::size_t as_rows = 0;  // calls that became part of a row
};

struct FileReport {
  std::filesystem::path path;
  std::string table;  // kind of table, empty when the file was not recognised
  // = kept + repeats + all skipped rows. A row that gives two measurements (dispatch and combine) counts
  // twice.
  std::size_t rows_read = 0;
  std::size_t rows_kept = 0;
  std::size_t repeats = 0;              // merged into an earlier row
  std::vector<SkippedRows> skipped;     // impossible rows included
  std::vector<ProfiledKernel> kernels;  // of a profile, longest in all first
  // Counts skipped rows; the caller may add an example to what it gives back.
  SkippedRows& skip(std::string_view reason, std::size_t rows = 1);
};

struct ImportReport {
  std::vector<FileReport> files;       // in the order read
  std::size_t files_filtered_out = 0;  // not opened, since the filter wants none of their rows
  std::vector<RepeatNoise> noise;      // of the rows merged
  std::size_t rows_read() const;
  std::size_t rows_kept() const;
  std::size_t repeats() const;
  std::vector<SkippedRows> skipped() const;  // reasons over all files, most rows first
};

// The reasons under which impossible rows, and the other rows of their group, are counted.
inline constexpr std::string_view kImpossibleReason = "faster than the physical bound";
inline constexpr std::string_view kBrokenGroupReason =
    "of a group that is often faster than the physical bound";
inline constexpr std::string_view kSlowRowReason =
    "far slower than its neighbours in size, in no other version and on no other GPU";

}  // namespace warploom
