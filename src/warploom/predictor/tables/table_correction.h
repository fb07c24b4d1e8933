// Answers from the measured tables of one family.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "warploom/learning/tree_ensemble.h"
#include "warploom/predictor/tables/family_tables.h"

namespace warploom {

// Immutable but for trees decoded on first use; const methods may run concurrently. One answer takes a few
// microseconds and allocates nothing once its trees are decoded.
class TableCorrection {
 public:
  explicit TableCorrection(FamilyTables tables);

  struct Answer {
    double residual = 0;       // ln(latency / base)
    double low = 0, high = 0;  // ln(p10 / p50), ln(p90 / p50)
    bool measured_point = false;
  };
  // `cell` is a measured cell by its index in the model, `row` what compute_features gave. Nothing when the
  // cell has no correction or the point too few neighbours.
  std::optional<Answer> answer(const Operator& op, std::uint32_t cell, const CellRecord& record,
                               const ContextCodes& codes, const OperatorFeatures& row) const;
  // The same without looking the point itself up: what training judges by.
  std::optional<double> residual_from_neighbours(Family family, const GridPoint& point, std::uint32_t cell,
                                                 const CellRecord& record, const ContextCodes& codes,
                                                 const OperatorFeatures& row) const;

  const FamilyTables& tables() const { return tables_; }

 private:
  const TreeEnsemble& trees(std::size_t which) const;
  struct Lazy {
    std::once_flag once;
    TreeEnsemble trees;
  };
  FamilyTables tables_;
  mutable std::vector<Lazy> ensembles_;
};

}  // namespace warploom
