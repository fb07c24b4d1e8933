#include "warploom/report/import_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

std::string rows_text(std::size_t rows) { return count_text(static_cast<std::int64_t>(rows)); }

// The kernels of a profile by their share of its time: a trace has hundreds, the first twenty tell it.
std::string kernels_text(const FileReport& file) {
  constexpr std::size_t kMost = 20, kLongestName = 72;
  double all = 0, unknown = 0;
  for (const ProfiledKernel& kernel : file.kernels) {
    all += kernel.time.value();
    if (kernel.family.empty()) unknown += kernel.time.value();
  }
  if (!(all > 0)) return "";
  TextTable table({{"share"}, {"calls"}, {"as rows"}, {"operator", Align::Left}, {"kernel", Align::Left}});
  for (std::size_t k = 0; k < std::min(kMost, file.kernels.size()); ++k) {
    const ProfiledKernel& kernel = file.kernels[k];
    const std::string name =
        kernel.details.empty() ? kernel.name.substr(0, kLongestName)
                               : fmt::format("{} ({})", kernel.name.substr(0, kLongestName), kernel.details);
    table.add_row({percent_text(kernel.time.value() / all), rows_text(kernel.calls),
                   rows_text(kernel.as_rows), kernel.family.empty() ? "unknown" : kernel.family, name});
  }
  std::string text = fmt::format("\nKernels of {}, by time:\n{}", file.path.string(), table.text());
  if (file.kernels.size() > kMost) text += fmt::format("and {} more\n", file.kernels.size() - kMost);
  return text + fmt::format("{} of the time in kernels of unknown name\n", percent_text(unknown / all));
}

Json kernels_json(const FileReport& file) {
  Json kernels = Json::array();
  for (const ProfiledKernel& kernel : file.kernels)
    kernels.push_back({{"name", kernel.name},
                       {"family", kernel.family},
                       {"details", kernel.details},
                       {"calls", kernel.calls},
                       {"as_rows", kernel.as_rows},
                       {"time_us", to_microseconds(kernel.time)}});
  return kernels;
}

}  // namespace

std::string import_report_text(const ImportReport& report) {
  TextTable files({{"file", Align::Left},
                   {"table", Align::Left},
                   {"rows read"},
                   {"kept"},
                   {"repeats merged"},
                   {"left out"}});
  for (const FileReport& file : report.files) {
    files.add_row({file.path.string(), file.table.empty() ? "not a table of this layout" : file.table,
                   rows_text(file.rows_read), rows_text(file.rows_kept), rows_text(file.repeats),
                   rows_text(file.rows_read - file.rows_kept - file.repeats)});
  }
  files.add_rule();
  files.add_row({"all", "", rows_text(report.rows_read()), rows_text(report.rows_kept()),
                 rows_text(report.repeats()),
                 rows_text(report.rows_read() - report.rows_kept() - report.repeats())});
  std::string text = files.text();
  for (const FileReport& file : report.files) text += kernels_text(file);
  const std::vector<SkippedRows> skipped = report.skipped();
  if (!skipped.empty()) text += "\nLeft out:\n";
  for (const SkippedRows& entry : skipped) {
    text += fmt::format("  {:>10}  {}\n", rows_text(entry.rows), entry.reason);
    for (const std::string& example : entry.examples) text += fmt::format("  {:>10}    {}\n", "", example);
  }
  return text;
}

Json import_report_json(const ImportReport& report) {
  Json files = Json::array();
  for (const FileReport& file : report.files) {
    files.push_back({{"path", file.path.string()},
                     {"table", file.table},
                     {"rows_read", file.rows_read},
                     {"rows_kept", file.rows_kept},
                     {"repeats", file.repeats}});
    if (!file.kernels.empty()) files.back()["kernels"] = kernels_json(file);
  }
  Json skipped = Json::array();
  for (const SkippedRows& entry : report.skipped()) {
    skipped.push_back({{"reason", entry.reason}, {"rows", entry.rows}, {"examples", entry.examples}});
  }
  return {{"rows_read", report.rows_read()},
          {"rows_kept", report.rows_kept()},
          {"repeats", report.repeats()},
          {"files", std::move(files)},
          {"skipped", std::move(skipped)}};
}

std::string import_summary_text(const ImportSummary& summary, const std::filesystem::path& store) {
  return import_report_text(summary.report) + fmt::format("{}: {} rows added, {} replaced, {} in all\n",
                                                          store.string(), summary.added, summary.replaced,
                                                          summary.store_rows);
}

Json import_summary_json(const ImportSummary& summary) {
  Json document = import_report_json(summary.report);
  document["store"] = {
      {"added", summary.added}, {"replaced", summary.replaced}, {"rows", summary.store_rows}};
  return document;
}

}  // namespace warploom
