#include "warploom/judge/validate/concurrency_speculation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/base/parallel.h"
#include "warploom/base/statistics.h"

namespace warploom {
namespace {

// The rows a fit sees: every second one, from the fewest requests on.
bool seen_by_fit(std::size_t point) { return point % 2 == 0; }

std::optional<double> log_error(const SortedRow& row, const AssumedDrafts& drafts,
                                const SimulateRow& simulate) {
  const std::optional<ConcurrencyCell> cell = simulate(row, drafts);
  if (!cell) return std::nullopt;
  return std::log(cell->tpot.predicted / cell->tpot.measured);
}

struct DraftFit {
  AssumedDrafts drafts;
  double error = std::numeric_limits<double>::infinity();  // median of the absolute log errors that it saw
};

// TPOT of a sweep is nearly a step's time over the tokens that it yields, so a second look at the errors
// suffices.
DraftFit fit_acceptance(const ConcurrencySweep& sweep, const std::vector<SortedRow>& rows,
                        std::int64_t drafts, const SimulateRow& simulate) {
  constexpr int kLooks = 3;
  constexpr double kFirstShare = 0.6;  // of the drafts accepted, to begin with
  DraftFit fit{.drafts = {drafts, 1 + kFirstShare * double(drafts)}};
  for (int look = 0; look < kLooks; ++look) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < sweep.points.size(); ++i)
      if (seen_by_fit(i))
        if (const auto error = log_error(rows[sweep.points[i].row], fit.drafts, simulate))
          errors.push_back(*error);
    if (errors.empty()) return {};
    const double middle = quantile(errors, 0.5);
    std::vector<double> sizes;
    for (const double error : errors) sizes.push_back(std::abs(error));
    fit.error = quantile(sizes, 0.5);
    const double length =
        std::clamp(fit.drafts.acceptance_length * std::exp(middle), 1.0, double(drafts + 1));
    if (look + 1 == kLooks || length == fit.drafts.acceptance_length) break;
    fit.drafts.acceptance_length = length;
  }
  return fit;
}

// Drafts, acceptance and the cells that follow; no cells where nothing could be simulated.
FoundSpeculation judge_sweep(ConcurrencySweep sweep, const std::vector<SortedRow>& rows,
                             const SpeculationRule& rule, const SimulateRow& simulate) {
  DraftFit best;
  for (const std::int64_t drafts : rule.drafts) {
    const DraftFit fit = fit_acceptance(sweep, rows, drafts, simulate);
    if (fit.error < best.error) best = fit;
  }
  FoundSpeculation found{.sweep = std::move(sweep), .drafts = best.drafts, .cells = {}};
  if (!std::isfinite(best.error)) return found;
  for (std::size_t i = 0; i < found.sweep.points.size(); ++i) {
    std::optional<ConcurrencyCell> cell = simulate(rows[found.sweep.points[i].row], best.drafts);
    if (!cell) return {.sweep = std::move(found.sweep), .drafts = {}, .cells = {}};
    cell->group = CellGroup::Speculative;
    cell->drafts = best.drafts;
    cell->tpot_fitted = seen_by_fit(i);
    found.cells.push_back(std::move(*cell));
  }
  return found;
}

}  // namespace

std::vector<FoundSpeculation> find_speculation(const std::vector<SortedRow>& rows,
                                               const std::vector<double>& ratios, const SpeculationRule& rule,
                                               const SimulateRow& simulate, int threads) {
  std::vector<ConcurrencySweep> candidates;
  for (auto& [key, sweep] : sweeps_of(rows)) {
    for (SweepPoint& point : sweep.points) point.ratio = ratios[point.row];
    if (rule.may_find(sweep)) candidates.push_back(std::move(sweep));
  }
  std::vector<std::optional<FoundSpeculation>> results(candidates.size());
  parallel_for(candidates.size(), std::size_t(threads), [&](std::size_t i) {
    ConcurrencySweep& sweep = candidates[i];
    for (SweepPoint& point : sweep.points) {
      if (point.ratio > 0) continue;
      const auto cell = simulate(rows[point.row], std::nullopt);
      if (cell) point.ratio = cell->tpot.measured / cell->tpot.predicted;
    }
    if (rule.finds(sweep)) results[i] = judge_sweep(std::move(sweep), rows, rule, simulate);
  });
  std::vector<FoundSpeculation> found;
  for (auto& result : results)
    if (result && !result->cells.empty()) found.push_back(std::move(*result));
  return found;
}

}  // namespace warploom
