// Predictions of any other tool, judged beside ours: the rows that are judged as a file of questions, and its
// answers as a CSV.
//
// A question is what was measured, without its time: operator, GPU, framework, version and kernel. Its id is
// a hash of these, so rows that ask the same share one id.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "warploom/base/units.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/measurements/error_summary.h"

namespace warploom {

// 16 hexadecimal digits.
std::string question_id(const Dataset& dataset, std::uint32_t row);

// One JSON object a line for each question once: {"id", "group", "gpu", "framework", "version", "kernel",
// "operator"}. Kept until written, whole or not at all.
class QuestionFile {
 public:
  void add(const Dataset& dataset, const std::vector<std::uint32_t>& rows, const std::string& group);
  void write(const std::filesystem::path& path) const;

 private:
  std::string text_;
  std::set<std::string> known_;
};

// The answers: columns id and predicted_us.
class ExternalPredictions {
 public:
  // Throws IoError, and InvalidInput on another unit's column, an id that stands twice, or a time that is not
  // above 0.
  explicit ExternalPredictions(const std::filesystem::path& path);

  const std::string& name() const { return name_; }  // of the file, without its ending
  // Errors of the rows; each must be answered: throws InvalidInput with the first that is not, and how many.
  ErrorSummary judge(const Dataset& dataset, const std::vector<std::uint32_t>& rows,
                     const GpuCatalog& catalog);
  // After all rows: throws InvalidInput where ids were never asked, or where the answers are a power of ten
  // of seconds off, as those of another unit are.
  void finish() const;

 private:
  std::string name_, path_;
  std::unordered_map<std::string, Seconds> answers_;
  std::set<std::string> used_;
  std::vector<double> ratios_;  // predicted / measured
};

}  // namespace warploom
