#include "warploom/judge/validate/validate_concurrency.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/tier_requirement.h"
#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/base/request_fields.h"
#include "warploom/judge/validate/concurrency_cell.h"
#include "warploom/judge/validate/concurrency_launch.h"
#include "warploom/judge/validate/concurrency_speculation.h"
#include "warploom/kernels/moe/expert_routing.h"

namespace warploom {

FieldTable ValidateConcurrencyRequest::describe() {
  using R = ValidateConcurrencyRequest;
  return RequestFields<R>("validate_concurrency")
      .add("truth", &R::truth, {.doc = "measured benchmarks", .required = true})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("require_tier", &R::require_tier, {.doc = "measured: leave out rows of kernels that never were"})
      .add("expert_routing", &R::expert_routing, {.doc = kExpertRoutingDoc})
      .add("host", &R::host, {.doc = "constants of the host in place of the engine's"})
      .add("kernel_times", &R::kernel_times,
           {.doc = "where in its interval every kernel's time lies: p90 gives what a plan is 90 % sure of"})
      .add("max_cells", &R::max_cells,
           {.doc = "simulate only this many rows, evenly spread; 0: all", .min = 0})
      .add("one_in", &R::one_in,
           {.doc = "simulate only one row in so many, chosen by a hash of its contents", .min = 1})
      .add("seed", &R::seed, {.doc = "of the lengths"})
      .add("commands", &R::commands, {.doc = "also what `simulate` is asked for each cell"})
      .add("threads", &R::threads,
           {.doc = "0: as many as cores; no effect on results", .min = 0, .max = 4096})
      .table();
}

namespace {

// A cell, or why there is none.
struct Outcome {
  std::optional<ConcurrencyCell> cell;
  std::string refusal;
};

Outcome outcome_of(const SortedRow& row, const ModelCatalog& catalog,
                   const ValidateConcurrencyRequest& validation,
                   const std::shared_ptr<const LatencyModel>& latency) {
  try {
    return {simulate_row(row.truth, catalog, validation, latency), {}};
  } catch (const Error& error) {
    return {std::nullopt, fmt::format("{} on {}: {}", row.truth.model, row.truth.system, error.what())};
  }
}

std::vector<Outcome> simulate_rows(const std::vector<SortedRow>& rows,
                                   const ValidateConcurrencyRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency) {
  const ModelCatalog catalog;
  std::vector<Outcome> outcomes(rows.size());
  std::int64_t done = 0;
  std::mutex progress;
  parallel_for(rows.size(), std::size_t(request.threads), [&](std::size_t i) {
    outcomes[i] = outcome_of(rows[i], catalog, request, latency);
    const std::lock_guard lock(progress);
    ++done;
    if (request.on_progress) request.on_progress(done, std::ssize(rows));
  });
  return outcomes;
}

CellGroup group_of(const SortedRow& row, const ConcurrencyRules& rules) {
  if (row.excluded_by >= 0)
    return rules.exclusions[std::size_t(row.excluded_by)].kind == ExclusionKind::Repeat ? CellGroup::Repeat
                                                                                        : CellGroup::SetAside;
  if (row.truth.disaggregated()) return CellGroup::Disaggregated;
  const auto checkpoint = concurrency_launches().checkpoint_of(row.truth);
  return checkpoint && !checkpoint->stated ? CellGroup::AssumedCheckpoint : CellGroup::Judged;
}

// What the rules say of the rows, before any is left out to save time.
void describe_rules(const std::vector<SortedRow>& rows, const ConcurrencyRules& rules,
                    ConcurrencyValidation& validation) {
  for (std::size_t r = 0; r < rules.exclusions.size(); ++r) {
    const ExclusionRule& rule = rules.exclusions[r];
    const auto count = std::count_if(rows.begin(), rows.end(), [&](const SortedRow& row) {
      return (rule.ttft_alone ? row.ttft_excluded_by : row.excluded_by) == int(r);
    });
    validation.exclusions.push_back({.rule = rule.name,
                                     .kind = std::string(name_of(rule.kind)),
                                     .reason = rule.reason,
                                     .source = rule.source,
                                     .rows = count,
                                     .ttft_alone = rule.ttft_alone});
    if (!rule.ttft_alone && count > 0) validation.dropped.push_back({rule.reason, count});
  }
  validation.corrected =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.corrected; });
  validation.corrections = rules.corrections;
  for (const FitRule& rule : rules.fits)
    validation.fits.push_back({.name = rule.name,
                               .fitted = rule.fitted,
                               .source = rule.source,
                               .ttft = rule.ttft,
                               .tpot = rule.tpot,
                               .everywhere = rule.everywhere});
}

// Leaves the rows that can be simulated and are no copies.
void drop_rows(std::vector<SortedRow>& rows, const ConcurrencyRules& rules) {
  std::erase_if(rows, [&](const SortedRow& row) {
    if (row.excluded_by < 0) return false;
    const ExclusionRule& rule = rules.exclusions[std::size_t(row.excluded_by)];
    return rule.kind == ExclusionKind::Incomplete || rule.repeats == RepeatTest::Exact;
  });
}

// Leaves the rows to simulate; says how many were left out for time.
void choose_rows(std::vector<SortedRow>& rows, const ValidateConcurrencyRequest& request,
                 ConcurrencyValidation& validation) {
  const auto possible = std::ssize(rows);
  if (request.one_in > 1)
    std::erase_if(rows, [&](const SortedRow& row) { return row.truth.content_hash % request.one_in != 0; });
  if (request.max_cells > 0 && std::ssize(rows) > request.max_cells) {
    std::vector<SortedRow> chosen;
    for (std::int64_t i = 0; i < request.max_cells; ++i)
      chosen.push_back(std::move(rows[std::size_t(i * std::ssize(rows) / request.max_cells)]));
    rows = std::move(chosen);
  }
  if (std::ssize(rows) < possible)
    validation.dropped.push_back({"beyond the number of cells asked for", possible - std::ssize(rows)});
}

void mark_cell(ConcurrencyCell& cell, const SortedRow& row, const ConcurrencyRules& rules,
               ConcurrencyValidation& validation) {
  cell.group = group_of(row, rules);
  const int rule = std::max(row.excluded_by, row.ttft_excluded_by);
  if (rule >= 0) cell.excluded_by = rules.exclusions[std::size_t(rule)].name;
  cell.judges_ttft = row.ttft_excluded_by < 0;
  for (std::size_t f = 0; f < rules.fits.size(); ++f) {
    const FitRule& fit = rules.fits[f];
    if (!fit.when(row.truth)) continue;
    if (cell.group == CellGroup::Judged) ++validation.fits[f].cells;
    if (fit.everywhere) continue;
    cell.ttft_fitted |= fit.ttft;
    cell.tpot_fitted |= fit.tpot;
  }
}

// In the order of the rows; 0 for those that were not simulated.
std::vector<double> ratios_of(const std::vector<SortedRow>& rows,
                              const std::map<std::string, double>& known) {
  std::vector<double> ratios;
  for (const SortedRow& row : rows) {
    const auto at = known.find(row.truth.id);
    ratios.push_back(at == known.end() ? 0 : at->second);
  }
  return ratios;
}

SimulateRow plain_or_drafting(const ValidateConcurrencyRequest& request,
                              const std::shared_ptr<const LatencyModel>& latency) {
  return [&request, latency, catalog = std::make_shared<const ModelCatalog>()](
             const SortedRow& row,
             const std::optional<AssumedDrafts>& drafts) -> std::optional<ConcurrencyCell> {
    try {
      return simulate_row(row.truth, *catalog, request, latency, drafts);
    } catch (const Error&) {
      return std::nullopt;  // said of the rows that are judged, where they are simulated plainly
    }
  };
}

using CellsById = std::map<std::string, ConcurrencyCell>;

// The cells of sweeps that draft, in place of those that were simulated plainly.
CellsById judge_speculation(const std::vector<SortedRow>& rows, const std::vector<double>& ratios,
                            const SimulateRow& simulate, int threads, ConcurrencyValidation& validation) {
  const SpeculationRule& rule = speculation_rule();
  validation.speculation_rule = rule.reason;
  CellsById cells;
  for (FoundSpeculation& found : find_speculation(rows, ratios, rule, simulate, threads)) {
    SpeculativeSweep sweep{.name = found.sweep.name, .drafts = found.drafts, .points = {}};
    for (std::size_t i = 0; i < found.cells.size(); ++i) {
      const SweepPoint& point = found.sweep.points[i];
      ConcurrencyCell& cell = found.cells[i];
      sweep.points.push_back({cell.id, point.concurrency, point.ratio, cell.tpot_fitted});
      cells.emplace(cell.id, std::move(cell));
    }
    validation.speculation.push_back(std::move(sweep));
  }
  return cells;
}

// Sorts the cells of the simulated rows into their groups.
void group_cells(const std::vector<SortedRow>& rows, std::vector<Outcome> outcomes, CellsById speculative,
                 ConcurrencyValidation& validation) {
  std::map<std::string, std::int64_t> refusals;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Outcome& outcome = outcomes[i];
    if (!outcome.cell) {
      // Rows that a rule took out are in `dropped` already.
      if (rows[i].excluded_by < 0) ++refusals[outcome.refusal];
      continue;
    }
    if (const auto at = speculative.find(outcome.cell->id); at != speculative.end()) {
      validation.other_cells.push_back(std::move(at->second));
      continue;
    }
    mark_cell(*outcome.cell, rows[i], concurrency_rules(), validation);
    (outcome.cell->group == CellGroup::Judged ? validation.cells : validation.other_cells)
        .push_back(std::move(*outcome.cell));
  }
  for (const auto& [reason, count] : refusals) validation.dropped.push_back({reason, count});
}

void check_routing(const ValidateConcurrencyRequest& request, const ConcurrencyValidation& validation) {
  const auto dense = [](const ConcurrencyCell& cell) { return cell.expert_routing.empty(); };
  if (request.expert_routing.empty() ||
      !std::all_of(validation.cells.begin(), validation.cells.end(), dense) ||
      !std::all_of(validation.other_cells.begin(), validation.other_cells.end(), dense))
    return;
  throw InvalidInput(
      fmt::format("expert_routing: says how tokens choose experts, which no model of {} has, "
                  "expected none",
                  request.truth.string()));
}

}  // namespace

ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request,
                                           const std::shared_ptr<const LatencyModel>& latency) {
  if (!request.expert_routing.empty()) parse_expert_routing(request.expert_routing, "expert_routing");
  requires_measured(request.require_tier);
  const ConcurrencyRules& rules = concurrency_rules();
  std::vector<SortedRow> rows = sort_rows(read_concurrency_truth(request.truth), rules);
  ConcurrencyValidation validation;
  validation.rows = std::ssize(rows);
  describe_rules(rows, rules, validation);
  drop_rows(rows, rules);
  const std::vector<SortedRow> possible = rows;
  choose_rows(rows, request, validation);
  std::vector<Outcome> outcomes = simulate_rows(rows, request, latency);
  std::string refusal;
  std::map<std::string, double> ratios;
  for (const Outcome& outcome : outcomes) {
    if (outcome.cell)
      ratios[outcome.cell->id] = outcome.cell->tpot.measured / outcome.cell->tpot.predicted;
    else if (refusal.empty())
      refusal = outcome.refusal;
  }
  CellsById speculative = judge_speculation(possible, ratios_of(possible, ratios),
                                            plain_or_drafting(request, latency), request.threads, validation);
  group_cells(rows, std::move(outcomes), std::move(speculative), validation);
  if (validation.cells.empty() && validation.other_cells.empty()) {
    throw InvalidInput(fmt::format("{}: no row can be simulated{}", request.truth.string(),
                                   refusal.empty() ? "" : "; the first reason: " + refusal));
  }
  check_routing(request, validation);
  return validation;
}

ConcurrencyValidation validate_concurrency(const ValidateConcurrencyRequest& request) {
  return validate_concurrency(request, open_latency_model(request.predictor, request.files));
}

}  // namespace warploom
