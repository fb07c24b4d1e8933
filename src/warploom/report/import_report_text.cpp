#include "warploom/report/import_report_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

std::string rows_text(std::size_t rows) { return count_text(static_cast<std::int64_t>(rows)); }

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

}  // namespace warploom
