// What a class of kernels (framework, kernel, kind) spends beyond its base whatever the shape: quantising and
// scaling passes, atomics per row, extra launches. The library's property rather than the GPU's, so it
// transfers: latency = base + fixed + per_row * rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/predictor/model/family_model.h"

namespace warploom {

struct OverheadRow {
  std::uint32_t cell = 0;  // into FamilyModel::cells
  double base = 0;         // s
  double latency = 0;      // s
  double rows = 0;         // OperatorFeatures::rows
};

// One entry per cell of the model. Per class and GPU, non-negative least squares on the relative error,
// robust; the base keeps its scale, so that large products follow it alone. A class takes the lower median
// over architectures. A class that one architecture alone runs counts no more than is usual for its kind,
// since kernels ported in a hurry have overheads of their own. A cell whose class has no rows takes what is
// usual for its kind. Zero where rows have no `rows`, and for groups of fewer than 20. Deterministic.
// O(rows).
std::vector<Overhead> class_overheads(const FamilyModel& model, std::span<const OverheadRow> rows);

}  // namespace warploom
