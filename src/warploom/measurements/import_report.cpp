#include "warploom/measurements/import_report.h"

#include <algorithm>

namespace warploom {

SkippedRows& FileReport::skip(std::string_view reason, std::size_t rows) {
  auto entry =
      std::find_if(skipped.begin(), skipped.end(), [&](const auto& s) { return s.reason == reason; });
  if (entry == skipped.end()) entry = skipped.insert(skipped.end(), SkippedRows{std::string(reason), 0, {}});
  entry->rows += rows;
  return *entry;
}

std::size_t ImportReport::rows_read() const {
  std::size_t sum = 0;
  for (const FileReport& file : files) sum += file.rows_read;
  return sum;
}
std::size_t ImportReport::rows_kept() const {
  std::size_t sum = 0;
  for (const FileReport& file : files) sum += file.rows_kept;
  return sum;
}
std::size_t ImportReport::repeats() const {
  std::size_t sum = 0;
  for (const FileReport& file : files) sum += file.repeats;
  return sum;
}

std::vector<SkippedRows> ImportReport::skipped() const {
  FileReport total;
  for (const FileReport& file : files) {
    for (const SkippedRows& entry : file.skipped) {
      SkippedRows& sum = total.skip(entry.reason, entry.rows);
      if (sum.examples.empty()) sum.examples = entry.examples;
    }
  }
  std::stable_sort(total.skipped.begin(), total.skipped.end(),
                   [](const auto& a, const auto& b) { return a.rows > b.rows; });
  return total.skipped;
}

}  // namespace warploom
