// Stands in for the fits that call a training library, where the program is built without it.
#include "warploom/base/learning.h"
#include "warploom/baselines/linear.h"
#include "warploom/baselines/small_network.h"

namespace warploom::baselines {

LinearModel::Terms LinearModel::nonnegative_fit(const std::array<Terms, kTerms>&, const Terms&) {
  require_learning("the linear baseline");
  return {};
}

SmallNetwork::SmallNetwork(std::span<const double>, std::size_t, std::size_t, const LossGradient&,
                           const NetworkOptions&) {
  require_learning("the baselines with a network");
}

// No network exists without the constructor above.
void SmallNetwork::answer(std::span<const double>, std::span<double>) const {}

}  // namespace warploom::baselines
