#include <Eigen/Dense>

#include "warploom/baselines/linear.h"

namespace warploom::baselines {

using Terms = LinearModel::Terms;

Terms LinearModel::nonnegative_fit(const std::array<Terms, kTerms>& products, const Terms& with_target) {
  Terms best{};
  double least = 0;  // gain over nothing, negated
  for (unsigned set = 1; set < (1U << kTerms); ++set) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < kTerms; ++i)
      if (((set >> i) & 1U) != 0 && products[i][i] > 0) used.push_back(i);
    if (used.empty()) continue;
    const auto n = Eigen::Index(used.size());
    Eigen::MatrixXd left(n, n);
    Eigen::VectorXd right(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      right(i) = with_target[used[std::size_t(i)]];
      for (Eigen::Index j = 0; j < n; ++j) left(i, j) = products[used[std::size_t(i)]][used[std::size_t(j)]];
    }
    const Eigen::VectorXd solution = left.colPivHouseholderQr().solve(right);
    if (!solution.allFinite() || solution.minCoeff() < 0) continue;
    const double objective = solution.dot(left * solution) - 2 * solution.dot(right);
    if (objective >= least) continue;
    least = objective;
    best = {};
    for (Eigen::Index i = 0; i < n; ++i) best[used[std::size_t(i)]] = solution(i);
  }
  return best;
}

}  // namespace warploom::baselines
