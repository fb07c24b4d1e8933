#include "warploom/app/runs/machine_fit.h"

#include <cmath>
#include <utility>

#include "warploom/app/predict/onboarding_fit.h"

namespace warploom {
namespace {

constexpr double kOutlier = 0.15;  // |ln(at / measured)| from which a sum weighs less
constexpr int kRounds = 40;
constexpr std::size_t kRows = std::size_t(KernelGroup::Rows);

struct Observation {
  MeasuredSum sum;
  double noise;
};

std::vector<Observation> observations_of(std::span<const MeasuredSum> sums, const OnboardingFit& prior) {
  std::vector<Observation> all;
  for (const MeasuredSum& sum : sums) {
    if (!sum.measured_rows || sum.predicted[kRows] <= Seconds(0.0)) {
      all.push_back({sum, prior.noise});
      continue;
    }
    if (*sum.measured_rows >= sum.measured) {  // nothing but rows
      all.push_back({sum, prior.rows_noise});
      continue;
    }
    MeasuredSum rest = sum, rows{.other = sum.other_rows, .measured = *sum.measured_rows};
    rest.measured = sum.measured - *sum.measured_rows;
    rest.other -= sum.other_rows;
    rows.predicted[kRows] = std::exchange(rest.predicted[kRows], Seconds(0.0));
    all.push_back({rest, prior.noise});
    all.push_back({rows, prior.rows_noise});
  }
  return all;
}

}  // namespace

KernelFactors fit_kernels(std::span<const MeasuredSum> sums) {
  const OnboardingFit& prior = shipped_onboarding_fit();
  const std::vector<Observation> observations = observations_of(sums, prior);
  KernelFactors logs{};
  const auto factors_of = [](const KernelFactors& at) {
    KernelFactors factors{};
    for (std::size_t i = 0; i < at.size(); ++i) factors[i] = std::exp(at[i]);
    return factors;
  };
  // One group after the other by Newton's step, until both rest: the problem is nearly linear.
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t group = 0; group < kKernelGroups; ++group) {
      const KernelFactors factors = factors_of(logs);
      double curve = 1 / (prior.spread[group] * prior.spread[group]), slope = logs[group] * curve;
      for (const auto& [sum, noise] : observations) {
        const Seconds at = sum.at(factors);
        const double error = std::log(at / sum.measured);
        const double share = sum.predicted[group] * factors[group] / at;
        const double weight = std::min(1.0, kOutlier / std::max(std::abs(error), 1e-12)) / (noise * noise);
        slope += weight * error * share;
        curve += weight * share * share;
      }
      logs[group] -= slope / curve;
    }
  }
  return factors_of(logs);
}

std::vector<KernelFactors> fits_of_parts(std::span<const MeasuredSum> sums) {
  constexpr std::size_t kParts = 3;
  std::vector<KernelFactors> fits;
  for (std::size_t part = 0; part < kParts; ++part) {
    std::vector<MeasuredSum> seen;
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (i % kParts != part) seen.push_back(sums[i]);
    fits.push_back(fit_kernels(seen));
  }
  return fits;
}

}  // namespace warploom
