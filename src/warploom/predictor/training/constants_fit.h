// Fits the constants of a family's base to measurements, by Ceres.
#pragma once

#include <cstdint>
#include <span>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/base_constants.h"
#include "warploom/kernels/known_kernel.h"
#include "warploom/kernels/operator.h"
#include "warploom/predictor/model/family_model.h"

namespace warploom {

struct ConstantsFitRow {
  const Operator* op = nullptr;
  const GpuSpec* gpu = nullptr;
  double log_latency = 0;   // ln seconds
  std::uint32_t group = 0;  // rows of one group share a free offset; numbered densely from 0
  double weight = 1;
  ContextKernel kernel;
  Overhead overhead{};  // of the row's class
};

struct ConstantsFitOptions {
  int most_steps = 12;
  double tolerance = 0.25;  // ln error from which a row counts less than quadratically
  double prior_rows = 8;    // how many rows the prior of one constant weighs
  double offset_sigma = 0;  // of a normal prior on each group's offset; 0: free
};

// Least squares on ln(latency / base) less the mean of its group, robust (soft L1), with normal priors on the
// logarithm of each constant centred at `prior` with the table's sigma, within the table's bounds. Bounded
// Levenberg-Marquardt by numeric differentiation on one thread: equal inputs give equal values. Rows that
// the base cannot price (not finite) are ignored. Returns `prior` when there is nothing to fit.
// Time: about most_steps * constants * rows evaluations of the features.
BaseConstants fit_constants(Family family, std::span<const ConstantsFitRow> rows, const BaseConstants& prior,
                            const ConstantsFitOptions& options = {});

}  // namespace warploom
