#include "warploom/report/concurrency_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "warploom/base/statistics.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

struct CellErrors {
  std::vector<double> ttft_errors, tpot_errors, ttft_biases, tpot_biases;
  void add(const ConcurrencyCell& cell, bool ttft, bool tpot) {
    if (tpot) {
      tpot_errors.push_back(cell.tpot.error());
      tpot_biases.push_back(cell.tpot.bias());
    }
    if (!ttft) return;
    ttft_errors.push_back(cell.ttft.error());
    ttft_biases.push_back(cell.ttft.bias());
  }
  bool empty() const { return ttft_errors.empty() && tpot_errors.empty(); }
};

// Which figures of a cell count.
struct Figures {
  bool ttft = false, tpot = false;
};
using Choice = std::function<Figures(const ConcurrencyCell&)>;
using CellName = std::string ConcurrencyCell::*;

Figures judged(const ConcurrencyCell& cell) {
  const bool in = cell.group == CellGroup::Judged;
  return {in && cell.judges_ttft, in};
}
Figures with_excluded(const ConcurrencyCell& cell) {
  const bool in = cell.group != CellGroup::Disaggregated && cell.checkpoint.empty();
  return {in, in};
}
Figures fitted(const ConcurrencyCell& cell) {
  const Figures all = judged(cell);
  return {all.ttft && cell.ttft_fitted, all.tpot && cell.tpot_fitted};
}
Figures unfitted(const ConcurrencyCell& cell) {
  const Figures all = judged(cell);
  return {all.ttft && !cell.ttft_fitted, all.tpot && !cell.tpot_fitted};
}
Choice of_group(CellGroup group) {
  return [group](const ConcurrencyCell& cell) { return Figures{cell.group == group, cell.group == group}; };
}
Choice of_rule(const std::string& rule) {
  return [rule](const ConcurrencyCell& cell) {
    const bool in = cell.excluded_by == rule;
    return Figures{in, in};
  };
}

class Cells {
 public:
  explicit Cells(const ConcurrencyValidation& validation) {
    for (const auto* cells : {&validation.cells, &validation.other_cells})
      for (const ConcurrencyCell& cell : *cells) cells_.push_back(&cell);
  }

  CellErrors errors(const Choice& choice) const {
    CellErrors errors;
    for (const ConcurrencyCell* cell : cells_) {
      const Figures figures = choice(*cell);
      errors.add(*cell, figures.ttft, figures.tpot);
    }
    return errors;
  }

  // In order of name; names without a figure are left out.
  std::map<std::string, CellErrors> errors_by(const Choice& choice, CellName name) const {
    std::map<std::string, CellErrors> groups;
    for (const ConcurrencyCell* cell : cells_) {
      const Figures figures = choice(*cell);
      if (figures.ttft || figures.tpot) groups[cell->*name].add(*cell, figures.ttft, figures.tpot);
    }
    return groups;
  }

 private:
  std::vector<const ConcurrencyCell*> cells_;
};

// Null where no cell is judged.
Json quantile_json(const std::vector<double>& values, double q) {
  return values.empty() ? Json() : Json(quantile(values, q));
}

Json errors_json(const CellErrors& errors) {
  return {{"cells", errors.tpot_errors.size()},
          {"ttft_cells", errors.ttft_errors.size()},
          {"ttft_median_error", quantile_json(errors.ttft_errors, 0.5)},
          {"tpot_median_error", quantile_json(errors.tpot_errors, 0.5)},
          {"ttft_p90_error", quantile_json(errors.ttft_errors, 0.9)},
          {"tpot_p90_error", quantile_json(errors.tpot_errors, 0.9)},
          {"ttft_bias", quantile_json(errors.ttft_biases, 0.5)},
          {"tpot_bias", quantile_json(errors.tpot_biases, 0.5)}};
}

Json groups_json(const Cells& cells, const Choice& choice, CellName name) {
  Json document = Json::object();
  for (const auto& [key, errors] : cells.errors_by(choice, name)) document[key] = errors_json(errors);
  return document;
}

Json choice_json(const Cells& cells, const Choice& choice) {
  return {{"overall", errors_json(cells.errors(choice))},
          {"backends", groups_json(cells, choice, &ConcurrencyCell::backend)},
          {"models", groups_json(cells, choice, &ConcurrencyCell::model)},
          {"gpus", groups_json(cells, choice, &ConcurrencyCell::gpu)}};
}

void add_error_row(TextTable& table, const std::string& name, const CellErrors& errors) {
  const auto percent = [](const std::vector<double>& values, double q) {
    return values.empty() ? std::string("-") : percent_text(quantile(values, q));
  };
  table.add_row({name, count_text(std::ssize(errors.tpot_errors)), count_text(std::ssize(errors.ttft_errors)),
                 percent(errors.ttft_errors, 0.5), percent(errors.ttft_errors, 0.9),
                 percent(errors.ttft_biases, 0.5), percent(errors.tpot_errors, 0.5),
                 percent(errors.tpot_errors, 0.9), percent(errors.tpot_biases, 0.5)});
}

TextTable error_table(const std::string& first) {
  return TextTable({{first, Align::Left},
                    {"TPOT cells"},
                    {"TTFT cells"},
                    {"TTFT median"},
                    {"p90"},
                    {"bias"},
                    {"TPOT median"},
                    {"p90"},
                    {"bias"}});
}

void add_rows_by(TextTable& table, const Cells& cells, const Choice& choice, CellName name,
                 const std::string& prefix) {
  for (const auto& [key, errors] : cells.errors_by(choice, name)) add_error_row(table, prefix + key, errors);
}

std::string rules_text(const ConcurrencyValidation& validation) {
  std::string text =
      "Rows that are not judged, by the rules of data/benchmarks/concurrency_exclusions.json:\n";
  for (const ExcludedRows& rule : validation.exclusions)
    text += fmt::format("{:>8}  {} ({}{}): {}\n{:>10}source: {}\n", fmt::format("-{}", count_text(rule.rows)),
                        rule.rule, rule.kind, rule.ttft_alone ? ", TTFT alone" : "", rule.reason, "",
                        rule.source);
  if (validation.corrected > 0)
    text +=
        fmt::format("{:>8}  rows put right: {}\n", count_text(validation.corrected), validation.corrections);
  return text;
}

std::string refusals_text(const ConcurrencyValidation& validation) {
  std::string text;
  for (const DroppedRows& entry : validation.dropped) {
    const bool of_a_rule = std::any_of(validation.exclusions.begin(), validation.exclusions.end(),
                                       [&](const ExcludedRows& rule) { return rule.reason == entry.reason; });
    if (!of_a_rule)
      text += fmt::format("{:>8}  {}\n", fmt::format("-{}", count_text(entry.rows)), entry.reason);
  }
  return text;
}

std::string fits_text(const ConcurrencyValidation& validation, const Cells& cells) {
  TextTable table = error_table("fitted and unfitted figures");
  add_rows_by(table, cells, fitted, &ConcurrencyCell::backend, "fitted, ");
  add_error_row(table, "fitted, all", cells.errors(fitted));
  table.add_rule();
  add_rows_by(table, cells, unfitted, &ConcurrencyCell::backend, "check, ");
  add_error_row(table, "check, all", cells.errors(unfitted));
  std::string text = table.text();
  for (const FittedCells& fit : validation.fits)
    text += fmt::format("{:>8}  {}: {} ({}{})\n{:>10}source: {}\n", count_text(fit.cells), fit.name,
                        fit.fitted, fit.ttft ? fit.tpot ? "TTFT and TPOT" : "TTFT" : "TPOT",
                        fit.everywhere ? "; chosen with every cell in view, sets none apart" : "", "",
                        fit.source);
  return text;
}

std::string apart_text(const Cells& cells, CellGroup group, const std::string& title) {
  if (cells.errors(of_group(group)).empty()) return "";
  TextTable table = error_table(title);
  add_rows_by(table, cells, of_group(group), &ConcurrencyCell::backend, "");
  table.add_rule();
  add_rows_by(table, cells, of_group(group), &ConcurrencyCell::model, "");
  table.add_rule();
  add_error_row(table, "all", cells.errors(of_group(group)));
  return fmt::format("\n{}", table.text());
}

Json cell_json(const ConcurrencyCell& cell) {
  return {{"id", cell.id},
          {"backend", cell.backend},
          {"version", cell.version},
          {"model", cell.model},
          {"gpu", cell.gpu},
          {"quantization", cell.quantization},
          {"tp", cell.tp},
          {"prefill_workers", cell.prefill_workers},
          {"decode_workers", cell.decode_workers},
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
          {"tpot_error", cell.tpot.error()},
          {"group", name_of(cell.group)},
          {"excluded_by", cell.excluded_by},
          {"checkpoint", cell.checkpoint},
          {"ttft_fitted", cell.ttft_fitted},
          {"tpot_fitted", cell.tpot_fitted}};
}

Json cells_json(const std::vector<ConcurrencyCell>& cells) {
  Json document = Json::array();
  for (const ConcurrencyCell& cell : cells) document.push_back(cell_json(cell));
  return document;
}

Json exclusions_json(const ConcurrencyValidation& validation, const Cells& cells) {
  Json document = Json::array();
  for (const ExcludedRows& rule : validation.exclusions) {
    const CellErrors errors = cells.errors(of_rule(rule.rule));
    document.push_back({{"rule", rule.rule},
                        {"kind", rule.kind},
                        {"judges", rule.ttft_alone ? "tpot" : "nothing"},
                        {"rows", rule.rows},
                        {"reason", rule.reason},
                        {"source", rule.source},
                        {"errors", errors.empty() ? Json() : errors_json(errors)}});
  }
  return document;
}

Json fits_json(const ConcurrencyValidation& validation) {
  Json document = Json::array();
  for (const FittedCells& fit : validation.fits) {
    Json figures = Json::array();
    if (fit.ttft) figures.push_back("ttft");
    if (fit.tpot) figures.push_back("tpot");
    document.push_back({{"name", fit.name},
                        {"fitted", fit.fitted},
                        {"figures", std::move(figures)},
                        {"everywhere", fit.everywhere},
                        {"cells", fit.cells},
                        {"source", fit.source}});
  }
  return document;
}

}  // namespace

std::string concurrency_validation_text(const ConcurrencyValidation& validation) {
  const Cells cells(validation);
  std::string text = fmt::format("{} rows read\n", count_text(validation.rows)) + rules_text(validation);
  const std::string refusals = refusals_text(validation);
  if (!refusals.empty()) text += "Refused or left out for time:\n" + refusals;
  text += fmt::format("{:>8}  cells judged\n", count_text(std::ssize(validation.cells)));
  const auto doubtful = std::count_if(validation.cells.begin(), validation.cells.end(),
                                      [](const ConcurrencyCell& cell) { return !cell.judges_ttft; });
  if (doubtful > 0)
    text += fmt::format("{:>8}  of them judged by TPOT alone: a rule sets their TTFT aside\n",
                        count_text(doubtful));
  TextTable table = error_table("judged cells");
  for (const CellName name : {&ConcurrencyCell::backend, &ConcurrencyCell::gpu, &ConcurrencyCell::model}) {
    add_rows_by(table, cells, judged, name, "");
    table.add_rule();
  }
  add_error_row(table, "all", cells.errors(judged));
  text += fmt::format("\n{}\n", table.text());
  TextTable both = error_table("with and without the rules");
  add_rows_by(both, cells, with_excluded, &ConcurrencyCell::backend, "with the rows taken out, ");
  add_error_row(both, "with the rows taken out, all", cells.errors(with_excluded));
  add_error_row(both, "without them (as judged), all", cells.errors(judged));
  both.add_rule();
  for (const ExcludedRows& rule : validation.exclusions)
    if (const CellErrors errors = cells.errors(of_rule(rule.rule)); !errors.empty())
      add_error_row(both, rule.rule + " alone", errors);
  text += both.text() + "\n" + fits_text(validation, cells);
  text += apart_text(cells, CellGroup::Disaggregated, "prefill and decode apart");
  return text + apart_text(cells, CellGroup::AssumedCheckpoint, "checkpoint assumed");
}

Json concurrency_validation_json(const ConcurrencyValidation& validation) {
  const Cells cells(validation);
  Json dropped = Json::array();
  for (const DroppedRows& entry : validation.dropped)
    dropped.push_back({{"reason", entry.reason}, {"rows", entry.rows}});
  Json document = {{"rows", validation.rows},
                   {"dropped", std::move(dropped)},
                   {"exclusions", exclusions_json(validation, cells)},
                   {"corrections", {{"rows", validation.corrected}, {"reason", validation.corrections}}},
                   {"fits", fits_json(validation)}};
  document.update(choice_json(cells, judged));
  document["with_excluded"] = choice_json(cells, with_excluded);
  document["fitted"] = choice_json(cells, fitted);
  document["check"] = choice_json(cells, unfitted);
  document["disaggregated"] = choice_json(cells, of_group(CellGroup::Disaggregated));
  document["assumed_checkpoint"] = choice_json(cells, of_group(CellGroup::AssumedCheckpoint));
  document["cells"] = cells_json(validation.cells);
  document["other_cells"] = cells_json(validation.other_cells);
  return document;
}

}  // namespace warploom
