#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "warploom/base/statistics.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"
#include "warploom/report/validation_report.h"

namespace warploom {
namespace {

struct CellErrors {
  std::vector<double> ttft_errors, tpot_errors, ttft_biases, tpot_biases;
  void add(const ConcurrencyCell& cell) {
    tpot_errors.push_back(cell.tpot.error());
    tpot_biases.push_back(cell.tpot.bias());
    if (!cell.judges_ttft) return;
    ttft_errors.push_back(cell.ttft.error());
    ttft_biases.push_back(cell.ttft.bias());
  }
};

using CellName = std::string ConcurrencyCell::*;

// In order of name.
std::map<std::string, CellErrors> errors_by(const ConcurrencyValidation& validation, CellName name) {
  std::map<std::string, CellErrors> groups;
  for (const ConcurrencyCell& cell : validation.cells) groups[cell.*name].add(cell);
  return groups;
}

CellErrors all_errors(const ConcurrencyValidation& validation) {
  CellErrors errors;
  for (const ConcurrencyCell& cell : validation.cells) errors.add(cell);
  return errors;
}

// Null where no cell is judged.
Json quantile_json(const std::vector<double>& values, double q) {
  return values.empty() ? Json() : Json(quantile(values, q));
}

Json errors_json(const CellErrors& errors) {
  return {{"cells", errors.tpot_errors.size()},
          {"ttft_cells", errors.ttft_errors.size()},
          {"ttft_median_error", quantile_json(errors.ttft_errors, 0.5)},
          {"tpot_median_error", quantile(errors.tpot_errors, 0.5)},
          {"ttft_p90_error", quantile_json(errors.ttft_errors, 0.9)},
          {"tpot_p90_error", quantile(errors.tpot_errors, 0.9)},
          {"ttft_bias", quantile_json(errors.ttft_biases, 0.5)},
          {"tpot_bias", quantile(errors.tpot_biases, 0.5)}};
}

Json groups_json(const ConcurrencyValidation& validation, CellName name) {
  Json document = Json::object();
  for (const auto& [key, errors] : errors_by(validation, name)) document[key] = errors_json(errors);
  return document;
}

void add_error_row(TextTable& table, const std::string& name, const CellErrors& errors) {
  const auto percent = [](const std::vector<double>& values, double q) {
    return values.empty() ? std::string("-") : percent_text(quantile(values, q));
  };
  table.add_row({name, count_text(std::ssize(errors.tpot_errors)), percent(errors.ttft_errors, 0.5),
                 percent(errors.ttft_errors, 0.9), percent(errors.ttft_biases, 0.5),
                 percent_text(quantile(errors.tpot_errors, 0.5)),
                 percent_text(quantile(errors.tpot_errors, 0.9)),
                 percent_text(quantile(errors.tpot_biases, 0.5))});
}

}  // namespace

std::string concurrency_validation_text(const ConcurrencyValidation& validation) {
  std::string text = fmt::format("{} rows read\n", count_text(validation.rows));
  for (const DroppedRows& entry : validation.dropped) {
    text += fmt::format("{:>8}  {}\n", fmt::format("-{}", count_text(entry.rows)), entry.reason);
  }
  text += fmt::format("{:>8}  cells simulated\n", count_text(std::ssize(validation.cells)));
  const auto doubtful = std::count_if(validation.cells.begin(), validation.cells.end(),
                                      [](const ConcurrencyCell& cell) { return !cell.judges_ttft; });
  if (doubtful > 0)
    text += fmt::format("{:>8}  of them judged by TPOT alone: their TTFT is known to be implausible\n",
                        count_text(doubtful));
  text += "\n";
  TextTable table({{"cells", Align::Left},
                   {"number"},
                   {"TTFT median"},
                   {"p90"},
                   {"bias"},
                   {"TPOT median"},
                   {"p90"},
                   {"bias"}});
  for (const CellName name : {&ConcurrencyCell::backend, &ConcurrencyCell::gpu, &ConcurrencyCell::model}) {
    for (const auto& [key, errors] : errors_by(validation, name)) add_error_row(table, key, errors);
    table.add_rule();
  }
  add_error_row(table, "all", all_errors(validation));
  return text + table.text();
}

Json concurrency_validation_json(const ConcurrencyValidation& validation) {
  Json dropped = Json::array();
  for (const DroppedRows& entry : validation.dropped)
    dropped.push_back({{"reason", entry.reason}, {"rows", entry.rows}});
  Json cells = Json::array();
  for (const ConcurrencyCell& cell : validation.cells) {
    cells.push_back({{"id", cell.id},
                     {"backend", cell.backend},
                     {"version", cell.version},
                     {"model", cell.model},
                     {"gpu", cell.gpu},
                     {"quantization", cell.quantization},
                     {"tp", cell.tp},
                     {"concurrency", cell.concurrency},
                     {"input_tokens", cell.input_tokens},
                     {"output_tokens", cell.output_tokens},
                     {"requests", cell.requests},
                     {"preemptions", cell.preemptions},
                     {"tier", name_of(cell.tier)},
                     {"measured_ttft_ms", cell.ttft.measured},
                     {"predicted_ttft_ms", cell.ttft.predicted},
                     {"ttft_error", cell.ttft.error()},
                     {"measured_tpot_ms", cell.tpot.measured},
                     {"predicted_tpot_ms", cell.tpot.predicted},
                     {"judges_ttft", cell.judges_ttft},
                     {"tpot_error", cell.tpot.error()}});
  }
  return {{"rows", validation.rows},
          {"dropped", std::move(dropped)},
          {"overall", errors_json(all_errors(validation))},
          {"backends", groups_json(validation, &ConcurrencyCell::backend)},
          {"models", groups_json(validation, &ConcurrencyCell::model)},
          {"gpus", groups_json(validation, &ConcurrencyCell::gpu)},
          {"cells", std::move(cells)}};
}

}  // namespace warploom
