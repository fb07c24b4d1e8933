// Factors on groups of kernels, fitted to measured times that are made of all.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "warploom/app/predict/machine_profile.h"
#include "warploom/base/units.h"

namespace warploom {

using KernelFactors = std::array<double, kKernelGroups>;

struct MeasuredSum {
  std::array<Seconds, kKernelGroups> predicted{};  // of each group's kernels
  Seconds other{0.0};                              // of kernels that are not scaled
  Seconds other_rows{0.0};                         // the part of `other` that works on rows
  Seconds measured{0.0};
  std::optional<Seconds> measured_rows;  // the part of `measured` that kernels which work on rows took

  Seconds at(const KernelFactors& factors) const {
    Seconds sum = other;
    for (std::size_t i = 0; i < kKernelGroups; ++i) sum += predicted[i] * factors[i];
    return sum;
  }
};

// Least squares of ln(at / measured), outliers bounded by weights; factors that nothing bears on stay at one.
// What rows took is fitted for itself where it was measured, and the rest without it.
KernelFactors fit_kernels(std::span<const MeasuredSum> sums);

// `found` by thirds: the factors at each of three fits, a third of the sums left out.
std::vector<KernelFactors> fits_of_parts(std::span<const MeasuredSum> sums);

}  // namespace warploom
