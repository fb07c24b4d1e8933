// The inputs of the learners for one operator.
#pragma once

#include <cstdint>

#include "warploom/kernels/moe_routing.h"
#include "warploom/learning/feature_row.h"

namespace warploom {

// The features of one operator, with what the learners need to know beside them.
struct OperatorFeatures : FeatureRow {
  double log_base = 0;  // ln of the base time in seconds
  double rows = 0;      // of a product's result; 0 where work per row means nothing
  // Seconds that cold operands add to the base (KernelHints::cold_operands). Base and features are those of
  // the rows, which found them warm.
  double cold = 0;
  // Identity of the sizes that a model's layer fixes (mixture of experts: hidden, intermediate, top-k,
  // experts); 0: the family has no such notion. Slots of features that mostly tell layers apart.
  std::uint32_t layer = 0;
  std::uint64_t layer_slots = 0;
  // Slots of parts of a whole: how full the last tile or wave is, what divides a size. Between two measured
  // sizes they take every value, so none is outside of what was measured.
  std::uint64_t part_slots = 0;
  RoutingLoad routing;  // of a FusedMoe; else of an operator before it

  void clear() {
    FeatureRow::clear();
    rows = 0;
    cold = 0;
    layer = 0;
    layer_slots = part_slots = 0;
  }
  void add_part(double value) {
    part_slots |= std::uint64_t(1) << count;
    add(value);
  }
  // add_log2 of a size that tells layers apart.
  void add_layer_log2(double value) {
    layer_slots |= std::uint64_t(1) << count;
    add_log2(value);
  }
};

}  // namespace warploom
