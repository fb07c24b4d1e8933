// Sweeps that are found to draft tokens, judged as such.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "warploom/judge/validate/concurrency_sweeps.h"
#include "warploom/judge/validate/concurrency_validation.h"

namespace warploom {

// Simulates a row, with drafts or plainly; nothing where it cannot be simulated. Called from several threads.
using SimulateRow =
    std::function<std::optional<ConcurrencyCell>(const SortedRow& row, const std::optional<AssumedDrafts>&)>;

// A sweep and what was fitted to it. Cells stand beside its points.
struct FoundSpeculation {
  ConcurrencySweep sweep;
  AssumedDrafts drafts;
  std::vector<ConcurrencyCell> cells;
};

// The sweeps of `rows` that the rule finds. `ratios` has measured over predicted TPOT of the rows that were
// simulated plainly, 0 for the others; those of a sweep that may be one that drafts are simulated here, so
// that a part of the rows finds what all do. Drafts and acceptance are fitted on every second point of a
// sweep, by the median of the errors of TPOT; `tpot_fitted` says which.
std::vector<FoundSpeculation> find_speculation(const std::vector<SortedRow>& rows,
                                               const std::vector<double>& ratios, const SpeculationRule& rule,
                                               const SimulateRow& simulate, int threads);

}  // namespace warploom
