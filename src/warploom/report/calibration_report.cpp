#include "warploom/report/calibration_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "warploom/report/import_report.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
std::string calibration_text(const CalibrateResult& result) {
  TextTable table({{"family", Align::Left},
                   {"rows learned"},
                   {"rows judged"},
                   {"before: mean"},
                   {"median"},
                   {"after: mean"},
                   {"median"},
                   {"in p10..p90"}});
  const auto add = [&](const std::string& name, const std::string& rows, const ErrorSummary& before,
                       const ErrorSummary& after) {
    table.add_row({name, rows, count_text(after.rows), percent_text(before.mean_error),
                   percent_text(before.median_error), percent_text(after.mean_error),
                   percent_text(after.median_error), percent_text(after.coverage)});
  };
  for (const CalibratedFamily& family : result.families)
    add(family.family, count_text(static_cast<std::int64_t>(family.rows)), family.before, family.after);
  add("all", "", result.before, result.after);
  std::string text = table.text() + "judged: shapes of the sweep that the fit did not see\n";
  if (!result.too_few.empty())
    text += fmt::format("too few rows, left as they were: {}\n", fmt::join(result.too_few, ", "));
  for (const auto& [name, value] : result.constants)
    text += fmt::format("{:<36}{:>12}\n", name, significant_text(value));
  return text;
}

Json calibration_json(const CalibrateResult& result) {
  Json families = Json::object(), constants = Json::object();
  for (const CalibratedFamily& family : result.families)
    families[family.family] = {
        {"rows_learned", family.rows}, {"before", to_json(family.before)}, {"after", to_json(family.after)}};
  for (const auto& [name, value] : result.constants) constants[name] = value;
  return {{"gpu", result.gpu},
          {"before", to_json(result.before)},
          {"after", to_json(result.after)},
          {"families", families},
          {"too_few", result.too_few},
          {"constants", constants},
          {"import", import_report_json(result.report)},
          {"bytes", result.bytes}};
}

}  // namespace warploom
