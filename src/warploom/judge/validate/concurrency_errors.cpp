#include "warploom/judge/validate/concurrency_errors.h"

namespace warploom {
namespace {

template <class Visit>
void for_each_cell(const ConcurrencyValidation& validation, const Visit& visit) {
  for (const auto* cells : {&validation.cells, &validation.other_cells})
    for (const ConcurrencyCell& cell : *cells) visit(cell);
}

}  // namespace

void ConcurrencyErrors::add(const ConcurrencyCell& cell, bool ttft, bool tpot) {
  if (tpot) {
    tpot_errors.push_back(cell.tpot.error());
    tpot_biases.push_back(cell.tpot.bias());
  }
  if (!ttft) return;
  ttft_errors.push_back(cell.ttft.error());
  ttft_biases.push_back(cell.ttft.bias());
}

ChosenFigures judged_figures(const ConcurrencyCell& cell) {
  const bool in = cell.group == CellGroup::Judged;
  return {in && cell.judges_ttft, in};
}

ChosenFigures figures_with_excluded(const ConcurrencyCell& cell) {
  const bool in = cell.group != CellGroup::Disaggregated && cell.checkpoint.empty();
  return {in, in};
}

ChosenFigures fitted_figures(const ConcurrencyCell& cell) {
  const ChosenFigures all = judged_figures(cell);
  return {all.ttft && cell.ttft_fitted, all.tpot && cell.tpot_fitted};
}

ChosenFigures unfitted_figures(const ConcurrencyCell& cell) {
  const ChosenFigures all = judged_figures(cell);
  return {all.ttft && !cell.ttft_fitted, all.tpot && !cell.tpot_fitted};
}

FigureChoice figures_of_group(CellGroup group) {
  return [group](const ConcurrencyCell& cell) {
    return ChosenFigures{cell.group == group, cell.group == group};
  };
}

ChosenFigures judged_speculative_figures(const ConcurrencyCell& cell) {
  const bool in = cell.group == CellGroup::Speculative && !cell.tpot_fitted;
  return {in, in};
}

FigureChoice figures_of_rule(const std::string& rule) {
  return [rule](const ConcurrencyCell& cell) {
    const bool in = cell.excluded_by == rule;
    return ChosenFigures{in, in};
  };
}

ConcurrencyErrors concurrency_errors(const ConcurrencyValidation& validation, const FigureChoice& choice) {
  ConcurrencyErrors errors;
  for_each_cell(validation, [&](const ConcurrencyCell& cell) {
    const ChosenFigures figures = choice(cell);
    errors.add(cell, figures.ttft, figures.tpot);
  });
  return errors;
}

std::map<std::string, ConcurrencyErrors> concurrency_errors_by(const ConcurrencyValidation& validation,
                                                               const FigureChoice& choice, CellName name) {
  std::map<std::string, ConcurrencyErrors> groups;
  for_each_cell(validation, [&](const ConcurrencyCell& cell) {
    const ChosenFigures figures = choice(cell);
    if (figures.ttft || figures.tpot) groups[cell.*name].add(cell, figures.ttft, figures.tpot);
  });
  return groups;
}

}  // namespace warploom
