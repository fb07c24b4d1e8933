#include "warploom/judge/report/concurrency_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/statistics.h"
#include "warploom/judge/report/asked_run.h"
#include "warploom/judge/validate/concurrency_errors.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

// Null where no cell is judged.
Json quantile_json(const std::vector<double>& values, double q) {
  return values.empty() ? Json() : Json(quantile(values, q));
}

Json errors_json(const ConcurrencyErrors& errors) {
  return {{"cells", errors.tpot_errors.size()},
          {"ttft_cells", errors.ttft_errors.size()},
          {"ttft_median_error", quantile_json(errors.ttft_errors, 0.5)},
          {"tpot_median_error", quantile_json(errors.tpot_errors, 0.5)},
          {"ttft_p90_error", quantile_json(errors.ttft_errors, 0.9)},
          {"tpot_p90_error", quantile_json(errors.tpot_errors, 0.9)},
          {"ttft_bias", quantile_json(errors.ttft_biases, 0.5)},
          {"tpot_bias", quantile_json(errors.tpot_biases, 0.5)}};
}

Json groups_json(const ConcurrencyValidation& validation, const FigureChoice& choice, CellName name) {
  Json document = Json::object();
  for (const auto& [key, errors] : concurrency_errors_by(validation, choice, name))
    document[key] = errors_json(errors);
  return document;
}

Json choice_json(const ConcurrencyValidation& validation, const FigureChoice& choice) {
  return {{"overall", errors_json(concurrency_errors(validation, choice))},
          {"backends", groups_json(validation, choice, &ConcurrencyCell::backend)},
          {"models", groups_json(validation, choice, &ConcurrencyCell::model)},
          {"gpus", groups_json(validation, choice, &ConcurrencyCell::gpu)}};
}

void add_error_row(TextTable& table, const std::string& name, const ConcurrencyErrors& errors) {
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

void add_rows_by(TextTable& table, const ConcurrencyValidation& validation, const FigureChoice& choice,
                 CellName name, const std::string& prefix) {
  for (const auto& [key, errors] : concurrency_errors_by(validation, choice, name))
    add_error_row(table, prefix + key, errors);
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

std::string fits_text(const ConcurrencyValidation& validation) {
  TextTable table = error_table("fitted and unfitted figures");
  add_rows_by(table, validation, fitted_figures, &ConcurrencyCell::backend, "fitted, ");
  add_error_row(table, "fitted, all", concurrency_errors(validation, fitted_figures));
  table.add_rule();
  add_rows_by(table, validation, unfitted_figures, &ConcurrencyCell::backend, "check, ");
  add_error_row(table, "check, all", concurrency_errors(validation, unfitted_figures));
  std::string text = table.text();
  for (const FittedCells& fit : validation.fits)
    text += fmt::format("{:>8}  {}: {} ({}{})\n{:>10}source: {}\n", count_text(fit.cells), fit.name,
                        fit.fitted, fit.ttft ? fit.tpot ? "TTFT and TPOT" : "TTFT" : "TPOT",
                        fit.everywhere ? "; chosen with every cell in view, sets none apart" : "", "",
                        fit.source);
  return text;
}

std::string apart_text(const ConcurrencyValidation& validation, const FigureChoice& choice,
                       const std::string& title) {
  if (concurrency_errors(validation, choice).empty()) return "";
  TextTable table = error_table(title);
  add_rows_by(table, validation, choice, &ConcurrencyCell::backend, "");
  table.add_rule();
  add_rows_by(table, validation, choice, &ConcurrencyCell::model, "");
  table.add_rule();
  add_error_row(table, "all", concurrency_errors(validation, choice));
  return fmt::format("\n{}", table.text());
}

std::string speculation_text(const ConcurrencyValidation& validation) {
  if (validation.speculation.empty()) return "";
  std::string text = fmt::format(
      "\nSweeps that drafted tokens: {}. Requests: measured TPOT over the plain prediction, * seen by the "
      "fit.\n",
      validation.speculation_rule);
  for (const SpeculativeSweep& sweep : validation.speculation) {
    text += fmt::format("  {}: {} drafts, {:.2f} tokens a step;", sweep.name, sweep.drafts.tokens,
                        sweep.drafts.acceptance_length);
    for (const SpeculativeSweep::Point& point : sweep.points)
      text += fmt::format(" {}: {:.2f}{}", point.concurrency, point.plain_ratio, point.fitted ? "*" : "");
    text += "\n";
  }
  return text + apart_text(validation, judged_speculative_figures, "with drafts, not seen by the fit");
}

Json speculation_json(const ConcurrencyValidation& validation) {
  Json sweeps = Json::array();
  for (const SpeculativeSweep& sweep : validation.speculation) {
    Json points = Json::array();
    for (const SpeculativeSweep::Point& point : sweep.points)
      points.push_back({{"id", point.id},
                        {"concurrency", point.concurrency},
                        {"plain_ratio", point.plain_ratio},
                        {"fitted", point.fitted}});
    sweeps.push_back({{"name", sweep.name},
                      {"drafts", sweep.drafts.tokens},
                      {"acceptance_length", sweep.drafts.acceptance_length},
                      {"rows", std::move(points)}});
  }
  return {{"rule", validation.speculation_rule}, {"sweeps", std::move(sweeps)}};
}

// Beside the cell's figures: what `simulate` is asked for the same, or what of it has no field there.
void add_question(Json& document, const ConcurrencyCell& cell) {
  if (!cell.asked && cell.not_asked.empty()) return;
  document["simulate"] = cell.asked ? asked_run_json(*cell.asked) : Json();
  document["not_asked"] = cell.not_asked;
}

Json cell_json(const ConcurrencyCell& cell) {
  Json document = {{"id", cell.id},
                   {"backend", cell.backend},
                   {"version", cell.version},
                   {"model", cell.model},
                   {"gpu", cell.gpu},
                   {"quantization", cell.quantization},
                   {"expert_routing", cell.expert_routing},
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
                   {"predicted_engine_ttft_ms", cell.engine_ttft},
                   {"ttft_error", cell.ttft.error()},
                   {"measured_tpot_ms", cell.tpot.measured},
                   {"predicted_tpot_ms", cell.tpot.predicted},
                   {"judges_ttft", cell.judges_ttft},
                   {"tpot_error", cell.tpot.error()},
                   {"group", name_of(cell.group)},
                   {"excluded_by", cell.excluded_by},
                   {"checkpoint", cell.checkpoint},
                   {"ttft_fitted", cell.ttft_fitted},
                   {"tpot_fitted", cell.tpot_fitted},
                   {"drafts", cell.drafts.tokens},
                   {"acceptance_length", cell.drafts.acceptance_length}};
  add_question(document, cell);
  return document;
}

Json cells_json(const std::vector<ConcurrencyCell>& cells) {
  Json document = Json::array();
  for (const ConcurrencyCell& cell : cells) document.push_back(cell_json(cell));
  return document;
}

Json exclusions_json(const ConcurrencyValidation& validation) {
  Json document = Json::array();
  for (const ExcludedRows& rule : validation.exclusions) {
    const ConcurrencyErrors errors = concurrency_errors(validation, figures_of_rule(rule.rule));
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
    add_rows_by(table, validation, judged_figures, name, "");
    table.add_rule();
  }
  add_error_row(table, "all", concurrency_errors(validation, judged_figures));
  text += fmt::format("\n{}\n", table.text());
  TextTable both = error_table("with and without the rules");
  add_rows_by(both, validation, figures_with_excluded, &ConcurrencyCell::backend,
              "with the rows taken out, ");
  add_error_row(both, "with the rows taken out, all", concurrency_errors(validation, figures_with_excluded));
  add_error_row(both, "without them (as judged), all", concurrency_errors(validation, judged_figures));
  both.add_rule();
  for (const ExcludedRows& rule : validation.exclusions)
    if (const ConcurrencyErrors errors = concurrency_errors(validation, figures_of_rule(rule.rule));
        !errors.empty())
      add_error_row(both, rule.rule + " alone", errors);
  text += both.text() + "\n" + fits_text(validation);
  text += speculation_text(validation);
  text += apart_text(validation, figures_of_group(CellGroup::Disaggregated), "prefill and decode apart");
  return text + apart_text(validation, figures_of_group(CellGroup::AssumedCheckpoint), "checkpoint assumed");
}

Json concurrency_validation_json(const ConcurrencyValidation& validation) {
  Json dropped = Json::array();
  for (const DroppedRows& entry : validation.dropped)
    dropped.push_back({{"reason", entry.reason}, {"rows", entry.rows}});
  Json document = {{"rows", validation.rows},
                   {"dropped", std::move(dropped)},
                   {"exclusions", exclusions_json(validation)},
                   {"corrections", {{"rows", validation.corrected}, {"reason", validation.corrections}}},
                   {"fits", fits_json(validation)}};
  document.update(choice_json(validation, judged_figures));
  document["with_excluded"] = choice_json(validation, figures_with_excluded);
  document["fitted"] = choice_json(validation, fitted_figures);
  document["check"] = choice_json(validation, unfitted_figures);
  document["disaggregated"] = choice_json(validation, figures_of_group(CellGroup::Disaggregated));
  document["assumed_checkpoint"] = choice_json(validation, figures_of_group(CellGroup::AssumedCheckpoint));
  document["speculation"] = speculation_json(validation);
  document["speculative"] = choice_json(validation, judged_speculative_figures);
  document["cells"] = cells_json(validation.cells);
  document["other_cells"] = cells_json(validation.other_cells);
  return document;
}

}  // namespace warploom
