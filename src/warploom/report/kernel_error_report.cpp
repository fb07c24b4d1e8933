#include "warploom/report/kernel_error_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {

Json error_summary_json(const ErrorSummary& summary) {
  Json document = to_json(summary);
  for (auto& [key, value] : document.items()) {
    if (value.is_number_float() && !std::isfinite(value.get<double>())) value = nullptr;
  }
  return document;
}

std::string error_table_text(const std::string& title,
                             const std::vector<std::pair<std::string, ErrorSummary>>& rows) {
  TextTable table({{title, Align::Left},
                   {"rows"},
                   {"mean error"},
                   {"median"},
                   {"p90"},
                   {"bias"},
                   {"in p10..p90"},
                   {"roofline mean"}});
  for (const auto& [name, s] : rows) {
    table.add_row({name, count_text(s.rows), percent_text(s.mean_error), percent_text(s.median_error),
                   percent_text(s.p90_error), percent_text(s.bias), percent_text(s.coverage),
                   percent_text(s.roofline_mean_error)});
  }
  return table.text();
}

Json noise_json(const std::vector<RepeatNoise>& noise) {
  Json document = Json::object();
  for (const RepeatNoise& entry : noise)
    document[std::string(name_of(entry.family))] = {
        {"rows", entry.rows}, {"mean", entry.mean}, {"median", entry.median}, {"p90", entry.p90}};
  return document;
}

std::string noise_table_text(const std::vector<RepeatNoise>& noise) {
  TextTable table({{"noise of repeated rows", Align::Left}, {"rows"}, {"mean"}, {"median"}, {"p90"}});
  for (const RepeatNoise& entry : noise)
    table.add_row({std::string(name_of(entry.family)), count_text(std::int64_t(entry.rows)),
                   percent_text(entry.mean), percent_text(entry.median), percent_text(entry.p90)});
  return table.text();
}

}  // namespace warploom
