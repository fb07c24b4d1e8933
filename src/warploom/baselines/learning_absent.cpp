// Stands in for the fits that call a training library, where the program is built without it.
#include "warploom/base/learning.h"
#include "warploom/baselines/linear.h"

namespace warploom::baselines {

LinearModel::Terms LinearModel::nonnegative_fit(const std::array<Terms, kTerms>&, const Terms&) {
  require_learning("the linear baseline");
  return {};
}

}  // namespace warploom::baselines
