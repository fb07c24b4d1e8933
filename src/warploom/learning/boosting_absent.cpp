// Stands in for boosting.cpp where the program is built without XGBoost.
#include "warploom/base/learning.h"
#include "warploom/learning/boosting.h"

namespace warploom {

std::vector<PlainTree> boost_trees(std::span<const float>, std::size_t, std::span<const float>,
                                   const BoostingOptions&) {
  require_learning("learning trees");
  return {};
}

std::vector<PlainTree> grow_forest(std::span<const float>, std::size_t, std::span<const float>,
                                   const ForestOptions&) {
  require_learning("learning trees");
  return {};
}

}  // namespace warploom
