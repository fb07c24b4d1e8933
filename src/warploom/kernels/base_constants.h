// The constants of the structural bases: what training fits on the GPUs it learns from, before any tree.
//
// A family's source declares its table; compute_features takes the values. A new constant needs an entry in
// that table, an enumerator and its use; the fit, the predictor file and leaving GPUs out follow by
// themselves.
#pragma once

#include <span>

#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// The family's table; empty when nothing of its base is fitted. At most kMaxConstants entries.
std::span<const ConstantSpec> base_constants(Family family);

// The values of the table.
const BaseConstants& default_constants(Family family);

}  // namespace warploom
