// Least squares on ideal times: the linear baseline.
//
// time = a + b FLOP / peak + c bytes / bandwidth + d network bytes / link, each at least 0, weighted so that
// relative errors count. Per cell, release, library and variant; the narrowest circle that was measured
// answers. As the terms are ideal times of the GPU at hand, wider circles carry over to other GPUs.
#pragma once

#include <array>
#include <unordered_map>

#include "warploom/baselines/baseline.h"
#include "warploom/baselines/cell_lookup.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::baselines {

class LinearModel : public LatencyModel {
 public:
  LinearModel(const BaselineRows& rows, const GpuCatalog& catalog);
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context) const override;

  static constexpr std::size_t kTerms = 4;
  using Terms = std::array<double, kTerms>;
  // Coefficients, each at least 0, with least sum of squares given the sums of products of terms and with the
  // target. Tries every set of terms.
  static Terms nonnegative_fit(const std::array<Terms, kTerms>& products, const Terms& with_target);

 private:
  std::array<std::unordered_map<std::uint64_t, Terms>, kCircles> fits_;
};

}  // namespace warploom::baselines
