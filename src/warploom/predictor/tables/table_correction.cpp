#include "warploom/predictor/tables/table_correction.h"

namespace warploom {
namespace {

// A measured point is its own best guess; what remains is the noise of one timing, about half of the
// interval of points between measured ones.
constexpr double kMeasuredPointWidth = 0.5;

}  // namespace

TableCorrection::TableCorrection(FamilyTables tables)
    : tables_(std::move(tables)), ensembles_(tables_.corrections.size()) {}

const TreeEnsemble& TableCorrection::trees(std::size_t which) const {
  Lazy& lazy = ensembles_[which];
  std::call_once(lazy.once, [&] {
    lazy.trees = TreeEnsemble(tables_.corrections[which].trees, name_of(tables_.family));
  });
  return lazy.trees;
}

std::optional<double> TableCorrection::residual_from_neighbours(Family family, const GridPoint& point,
                                                                std::uint32_t cell, const CellRecord& record,
                                                                const ContextCodes& codes,
                                                                const OperatorFeatures& row) const {
  const std::size_t which = tables_.corrections.size() == 1 ? 0 : record.gpu;
  const CorrectionRecord& correction = tables_.corrections[which];
  if (correction.trees.empty()) return std::nullopt;
  Neighbours neighbours;
  find_neighbours(tables_.residuals, cell, point, grid_moves(family), neighbours);
  if (neighbours.found < kFewestNeighbours) return std::nullopt;
  Guesses guesses;
  make_guesses(neighbours, guesses);
  const Centre centre = weigh_guesses(guesses, correction.weights, record.offset);
  TableFeatures features;
  fill_table_features(neighbours, guesses, centre, codes, record.offset, row, features);
  OperatorFeatures chosen;
  for (const std::uint16_t f : correction.features) chosen.add(double(features.values[f]));
  TreeEnsemble::set_guard(chosen);
  return double(centre.value) + double(trees(which).predict(chosen));
}

std::optional<TableCorrection::Answer> TableCorrection::answer(const Operator& op, std::uint32_t cell,
                                                               const CellRecord& record,
                                                               const ContextCodes& codes,
                                                               const OperatorFeatures& row) const {
  if (cell >= tables_.intervals.size()) return std::nullopt;
  const GridPoint point = grid_point(op);
  if (point.axes == 0) return std::nullopt;
  const std::size_t bucket = bucket_of(row.log_base);
  const LogInterval& interval = tables_.intervals[cell];
  Answer answer;
  if (const auto known = tables_.residuals.find(PointKey(cell, point))) {
    answer.residual = double(*known);
    answer.low = kMeasuredPointWidth * double(interval.low[bucket]);
    answer.high = kMeasuredPointWidth * double(interval.high[bucket]);
    answer.measured_point = true;
    return answer;
  }
  const auto residual = residual_from_neighbours(family_of(op), point, cell, record, codes, row);
  if (!residual) return std::nullopt;
  answer.residual = *residual;
  answer.low = double(interval.low[bucket]);
  answer.high = double(interval.high[bucket]);
  return answer;
}

}  // namespace warploom
