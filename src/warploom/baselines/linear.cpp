#include "warploom/baselines/linear.h"

#include <algorithm>

#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/roofline.h"

namespace warploom::baselines {
namespace {

using Terms = LinearModel::Terms;

Terms ideal_times(const Operator& op, const GpuSpec& gpu) {
  const KernelProfile p = profile(op, gpu);
  return {1e-6, std::max(p.t_useful, p.t_fma), p.t_dram, p.t_network};
}

struct Sums {
  std::array<Terms, LinearModel::kTerms> products{};
  Terms with_target{};
  std::size_t rows = 0;
  void add(const Terms& terms, double target) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (std::size_t j = 0; j < terms.size(); ++j)
        products[i][j] += terms[i] * terms[j] / (target * target);
      with_target[i] += terms[i] / target;
    }
    ++rows;
  }
};

}  // namespace

LinearModel::LinearModel(const BaselineRows& rows, const GpuCatalog& catalog) {
  std::array<std::unordered_map<std::uint64_t, Sums>, kCircles> sums;
  const Dataset& dataset = rows.dataset;
  for (const std::uint32_t row : rows.rows) {
    const GpuSpec& gpu = catalog.get(dataset.gpu(row));
    const Operator& op = dataset.op(row);
    const CircleKeys keys = circle_keys(operator_coordinates(op), gpu, dataset.context(row));
    const Terms terms = ideal_times(op, gpu);
    for (std::size_t c = 0; c < kCircles; ++c) sums[c][keys[c]].add(terms, dataset.latency(row).value());
  }
  for (std::size_t c = 0; c < kCircles; ++c)
    for (const auto& [key, entry] : sums[c])
      if (entry.rows >= 2 * kTerms) fits_[c][key] = nonnegative_fit(entry.products, entry.with_target);
}

LatencyEstimate LinearModel::estimate(const Operator& op, const GpuSpec& gpu,
                                      const KernelContext& context) const {
  const CircleKeys keys = circle_keys(operator_coordinates(op), gpu, context);
  const Terms terms = ideal_times(op, gpu);
  for (std::size_t c = 0; c < kCircles; ++c) {
    const auto at = fits_[c].find(keys[c]);
    if (at == fits_[c].end()) continue;
    double seconds = 0;
    for (std::size_t i = 0; i < kTerms; ++i) seconds += at->second[i] * terms[i];
    return plain_estimate(seconds, op, gpu,
                          c <= std::size_t(Circle::Release) ? Tier::Measured : Tier::CrossGpu);
  }
  return RooflineModel().estimate(op, gpu, context);
}

}  // namespace warploom::baselines
