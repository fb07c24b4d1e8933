#include "warploom/predictor/training/constants_fit.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

// Soft L1 of a residual as a residual: its square grows linearly far from zero.
double softened(double residual, double tolerance) {
  const double scaled = residual / tolerance;
  return std::copysign(tolerance * std::sqrt(2 * (std::sqrt(1 + scaled * scaled) - 1)), residual);
}

// Residuals of all rows, then of the priors; parameters are logarithms of the constants. One block, because
// the offset of a group couples its rows.
class BaseError {
 public:
  BaseError(std::span<const ConstantsFitRow> rows, std::span<const ConstantSpec> specs,
            const BaseConstants& prior, const ConstantsFitOptions& options)
      : rows_(rows), specs_(specs), prior_(prior), options_(options) {
    std::uint32_t groups = 0;
    for (const ConstantsFitRow& row : rows) groups = std::max(groups, row.group + 1);
    sums_.resize(groups);
    weights_.resize(groups);
  }

  int residuals() const { return int(rows_.size() + specs_.size()); }

  bool operator()(double const* const* parameters, double* residuals) const {
    BaseConstants constants = prior_;
    for (std::size_t i = 0; i < specs_.size(); ++i) constants.values[i] = std::exp(parameters[0][i]);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(weights_.begin(), weights_.end(), 0.0);
    OperatorFeatures features;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const ConstantsFitRow& row = rows_[r];
      ContextKernel kernel = row.kernel;
      kernel.routing = &routing_;
      compute_features(*row.op, *row.gpu, kernel, constants, features);
      const double error = row.log_latency - log_base_with(row.overhead, features);
      residuals[r] = error;
      if (!std::isfinite(error)) continue;
      sums_[row.group] += row.weight * error;
      weights_[row.group] += row.weight;
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const ConstantsFitRow& row = rows_[r];
      const double n = std::max(weights_[row.group], 1e-12);
      const double error = residuals[r] - removed_share(n) * sums_[row.group] / n;
      residuals[r] = std::isfinite(error) ? std::sqrt(row.weight) * softened(error, options_.tolerance) : 0.0;
    }
    // A sigma-sized step of one constant costs what `prior_rows` rows cost that are off by the tolerance.
    const double strength = options_.tolerance * std::sqrt(options_.prior_rows);
    for (std::size_t i = 0; i < specs_.size(); ++i)
      residuals[rows_.size() + i] =
          strength * (parameters[0][i] - std::log(prior_.values[i])) / specs_[i].sigma;
    return true;
  }

  // Share of a group's mean that its offset takes away: all of it when offsets are free, less with a prior.
  double removed_share(double rows) const {
    if (options_.offset_sigma <= 0) return 1;
    const double noise = options_.tolerance * options_.tolerance;
    return 1 - std::sqrt(noise / (noise + rows * options_.offset_sigma * options_.offset_sigma));
  }

 private:
  std::span<const ConstantsFitRow> rows_;
  std::span<const ConstantSpec> specs_;
  const BaseConstants& prior_;
  const ConstantsFitOptions& options_;
  RoutingCache routing_;
  mutable std::vector<double> sums_, weights_;  // scratch of one evaluation
};

}  // namespace

BaseConstants fit_constants(Family family, std::span<const ConstantsFitRow> rows, const BaseConstants& prior,
                            const ConstantsFitOptions& options) {
  const std::span<const ConstantSpec> specs = base_constants(family);
  if (specs.empty() || rows.empty()) return prior;
  BaseError error(rows, specs, prior, options);
  std::vector<double> logs;
  for (std::size_t i = 0; i < specs.size(); ++i) logs.push_back(std::log(prior.values[i]));
  ceres::NumericDiffOptions differences;
  differences.relative_step_size = 1e-3;  // the bases have steps (waves, choices): look across them
  auto cost = std::make_unique<ceres::DynamicNumericDiffCostFunction<BaseError, ceres::FORWARD>>(
      &error, ceres::DO_NOT_TAKE_OWNERSHIP, differences);
  cost->AddParameterBlock(int(specs.size()));
  cost->SetNumResiduals(error.residuals());
  ceres::Problem::Options ownership;
  ownership.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  ceres::Problem problem(ownership);
  problem.AddResidualBlock(cost.get(), nullptr, logs.data());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    problem.SetParameterLowerBound(logs.data(), int(i), std::log(specs[i].low));
    problem.SetParameterUpperBound(logs.data(), int(i), std::log(specs[i].high));
  }
  ceres::Solver::Options solving;
  solving.max_num_iterations = options.most_steps;
  solving.linear_solver_type = ceres::DENSE_QR;
  solving.num_threads = 1;
  solving.function_tolerance = 1e-4;
  solving.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(solving, &problem, &summary);
  BaseConstants fitted = prior;
  if (!summary.IsSolutionUsable()) return fitted;
  for (std::size_t i = 0; i < specs.size(); ++i) fitted.values[i] = std::exp(logs[i]);
  return fitted;
}

}  // namespace warploom
