// The errors of chosen figures of a concurrency validation, together and by group.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "warploom/judge/validate/concurrency_validation.h"

namespace warploom {

// One entry for each figure that was chosen.
struct ConcurrencyErrors {
  std::vector<double> ttft_errors, tpot_errors, ttft_biases, tpot_biases;
  void add(const ConcurrencyCell& cell, bool ttft, bool tpot);
  bool empty() const { return ttft_errors.empty() && tpot_errors.empty(); }
};

// Which figures of a cell count.
struct ChosenFigures {
  bool ttft = false, tpot = false;
};
using FigureChoice = std::function<ChosenFigures(const ConcurrencyCell&)>;
using CellName = std::string ConcurrencyCell::*;

ChosenFigures judged_figures(const ConcurrencyCell& cell);
// Everything that can be simulated on one engine under the checkpoint it names.
ChosenFigures figures_with_excluded(const ConcurrencyCell& cell);
// Judged figures whose error was in view when a constant was set, and those where it was not.
ChosenFigures fitted_figures(const ConcurrencyCell& cell);
ChosenFigures unfitted_figures(const ConcurrencyCell& cell);
FigureChoice figures_of_group(CellGroup group);
// Figures of sweeps that draft: the rows that their fit did not see.
ChosenFigures judged_speculative_figures(const ConcurrencyCell& cell);
// Figures of the rows that this rule sets aside.
FigureChoice figures_of_rule(const std::string& rule);

ConcurrencyErrors concurrency_errors(const ConcurrencyValidation& validation, const FigureChoice& choice);
// In order of name; names without a figure are left out.
std::map<std::string, ConcurrencyErrors> concurrency_errors_by(const ConcurrencyValidation& validation,
                                                               const FigureChoice& choice, CellName name);

}  // namespace warploom
