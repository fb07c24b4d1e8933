#include "warploom/predictor/answer/measured_estimate.h"

#include <cmath>
#include <optional>
#include <variant>

#include "warploom/predictor/model/hidden_gpu.h"

namespace warploom {

double tree_sum(const LoadedFamily& family, int ensemble, const CellRecord& cell, double offset,
                OperatorFeatures row) {
  const ContextCodes& codes = family.index.codes(cell);
  row.add(codes.framework);
  row.add(codes.kernel);
  row.add(offset);
  TreeEnsemble::set_guard(row);
  return double(family.trees(ensemble).predict(row));
}

double cross_trees(const LoadedFamily& family, const CellRecord& cell, const ContextCodes& codes,
                   OperatorFeatures row) {
  hide_gpu(family.model.family, row.values, std::size_t(row.count), codes);
  return tree_sum(family, family.cross, cell, double(cell.offset), row);
}

double own_trees(const LoadedFamily& family, const CellRecord& cell, const OperatorFeatures& row) {
  if (const SymmetricEnsemble* trees = family.new_layer_trees(cell, row)) {
    OperatorFeatures with_context = row;
    const ContextCodes& codes = family.index.codes(cell);
    for (const float value : {codes.framework, codes.kernel, cell.offset}) with_context.add(double(value));
    return trees->predict(with_context);
  }
  const SymmetricEnsemble* trees = family.cell_trees(cell);
  return trees != nullptr ? trees->predict(row) : 0;
}

LogEstimate measured_base(const LoadedFamily& family, const CellRecord& cell, const OperatorFeatures& row) {
  LogEstimate answer;
  answer.log_p50 = row.log_base + double(cell.offset);
  // Its interval was found for layers outside of what was learned.
  if (family.new_layer_trees(cell, row) != nullptr) {
    answer.extrapolated = true;
    answer.set_interval(cell.interval_new_layer, row.log_base);
    return answer;
  }
  const int own = family.by_gpu[cell.gpu], ensemble = own >= 0 ? own : family.cross;
  answer.set_interval(cell.interval, row.log_base);
  if (ensemble >= 0) answer.set_outside(family.outside(ensemble, row));
  return answer;
}

LogEstimate measured_estimate(const LoadedFamily& family, const CellRecord& cell,
                              const OperatorFeatures& row) {
  LogEstimate answer = measured_base(family, cell, row);
  if (family.by_gpu[cell.gpu] >= 0)
    answer.log_p50 += own_trees(family, cell, row);
  else if (family.cross >= 0)
    answer.log_p50 += cross_trees(family, cell, family.index.codes(cell), row);
  return answer;
}

namespace {

std::optional<LogEstimate> curve_estimate(const LoadedFamily& family, const Operator& op,
                                          const CellRecord& cell) {
  const SizeCurves* curves = family.curves();
  if (curves == nullptr) return std::nullopt;
  const auto known =
      curves->answer(std::uint32_t(&cell - family.model.cells.data()), std::get<Collective>(op));
  if (!known) return std::nullopt;
  LogEstimate answer;
  answer.log_p50 = std::log(known->seconds);
  answer.low = known->low;
  answer.high = known->high;
  return answer;
}

}  // namespace

LogEstimate interpolated_estimate(const LoadedFamily& family, const Operator& op, const CellRecord& cell,
                                  const OperatorFeatures& row) {
  if (!family.tables) {
    const std::optional<LogEstimate> answer = curve_estimate(family, op, cell);
    return answer ? *answer : measured_estimate(family, cell, row);
  }
  const auto known = family.tables->answer(op, std::uint32_t(&cell - family.model.cells.data()), cell,
                                           family.index.codes(cell), row);
  if (!known) return measured_estimate(family, cell, row);
  LogEstimate answer;
  answer.log_p50 = row.log_base + known->residual;
  answer.low = known->low;
  answer.high = known->high;
  const int own = family.by_gpu[cell.gpu], ensemble = own >= 0 ? own : family.cross;
  if (ensemble >= 0) answer.set_outside(family.outside(ensemble, row));
  return answer;
}

}  // namespace warploom
