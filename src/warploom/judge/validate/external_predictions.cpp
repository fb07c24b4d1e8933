#include "warploom/judge/validate/external_predictions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/statistics.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/kernels/roofline.h"

namespace warploom {
namespace {

constexpr std::string_view kPredictedColumn = "predicted_us";
// Milliseconds or seconds in place of microseconds are off by a thousand and more; no tool errs so in the
// median.
constexpr double kOtherUnit = 100;

}  // namespace

std::string question_id(const Dataset& dataset, std::uint32_t row) {
  const KernelContext context = dataset.context(row);
  std::uint64_t hash = dataset.operator_identity(dataset.operator_index(row));
  for (const std::string_view part :
       {std::string_view(dataset.gpu(row)), context.framework, context.version, context.kernel})
    hash = hash_combine(hash, hash_bytes(part));
  return fmt::format("{:016x}", hash);
}

void QuestionFile::add(const Dataset& dataset, const std::vector<std::uint32_t>& rows,
                       const std::string& group) {
  for (const std::uint32_t row : rows) {
    const std::string id = question_id(dataset, row);
    if (!known_.insert(id).second) continue;
    const KernelContext context = dataset.context(row);
    const Json line = {{"id", id},
                       {"group", group},
                       {"gpu", dataset.gpu(row)},
                       {"framework", context.framework},
                       {"version", context.version},
                       {"kernel", context.kernel},
                       {"operator", operator_to_json(dataset.op(row))}};
    text_ += line.dump() + "\n";
  }
}

void QuestionFile::write(const std::filesystem::path& path) const { write_file_atomically(path, text_); }

ExternalPredictions::ExternalPredictions(const std::filesystem::path& path)
    : name_(path.stem().string()), path_(path.string()) {
  CsvReader csv(path);
  if (!csv.find_column(kPredictedColumn))
    for (const std::string& column : csv.columns())
      if (column.starts_with("predicted"))
        throw InvalidInput(fmt::format("{}: the column '{}' is no time in microseconds, expected '{}'", path_,
                                       column, kPredictedColumn));
  const std::size_t id = csv.column("id"), predicted = csv.column(kPredictedColumn);
  while (csv.next()) {
    const double time = csv.real(predicted);
    if (!(time > 0))
      throw InvalidInput(fmt::format("{}: is {}, expected a time above 0", csv.where(predicted), time));
    if (!answers_.emplace(csv.cell(id), microseconds(time)).second)
      throw InvalidInput(
          fmt::format("{}: '{}' stands twice, expected each id once", csv.where(id), csv.cell(id)));
  }
}

ErrorSummary ExternalPredictions::judge(const Dataset& dataset, const std::vector<std::uint32_t>& rows,
                                        const GpuCatalog& catalog) {
  const RooflineModel roofline;
  ErrorAccumulator errors;
  std::size_t missing = 0;
  std::string first;
  for (const std::uint32_t row : rows) {
    const std::string id = question_id(dataset, row);
    const auto found = answers_.find(id);
    if (found == answers_.end()) {
      if (missing++ == 0) first = id;
      continue;
    }
    used_.insert(id);
    const Seconds measured = dataset.latency(row);
    ratios_.push_back(found->second / measured);
    errors.add(found->second, found->second, found->second,
               roofline.estimate(dataset.op(row), catalog.get(dataset.gpu(row))).p50, measured);
  }
  if (missing > 0)
    throw InvalidInput(fmt::format(
        "{}: {} of the {} rows that are judged have no prediction, '{}' among them; expected one for each",
        path_, missing, rows.size(), first));
  return errors.summary();
}

void ExternalPredictions::finish() const {
  if (used_.size() < answers_.size()) {
    std::string unknown;
    for (const auto& [id, time] : answers_)
      if (!used_.contains(id) && (unknown.empty() || id < unknown)) unknown = id;
    throw InvalidInput(
        fmt::format("{}: {} ids are of no row that is judged, '{}' among them; expected those of `questions`",
                    path_, answers_.size() - used_.size(), unknown));
  }
  if (ratios_.empty()) return;
  std::vector<double> ratios = ratios_;
  const double median = quantile(ratios, 0.5);
  if (median >= kOtherUnit || median <= 1 / kOtherUnit)
    throw InvalidInput(
        fmt::format("{}: half of the times are {:.3g} times the measured ones or more, expected microseconds",
                    path_, median));
}

}  // namespace warploom
