#include "warploom/serving/host/host_fit.h"

#include <gtest/gtest.h>

#include <vector>

namespace warploom {
namespace {

const LaunchedLayers kLayers{.all = 32};

EngineHost base_host() {
  return {.engine = "vllm",
          .schedule = milliseconds(0.1),
          .schedule_per_sequence = microseconds(10),
          .prepare = milliseconds(1),
          .launch_graph = milliseconds(0.5),
          .piece = milliseconds(0.15),
          .layer = milliseconds(0.6),
          .finish = milliseconds(0.1)};
}

// What a machine of these factors takes, with the noise of a few per cent that repeats itself.
std::vector<TimedStep> steps_of(const HostFactors& truth, bool kernel_by_kernel) {
  const HostModel host = scaled_host(base_host(), truth).of(kLayers);
  std::vector<TimedStep> steps;
  const auto add = [&](double gpu_ms, std::int64_t sequences, LaunchMode mode) {
    TimedStep step{milliseconds(gpu_ms), Seconds(), sequences, mode};
    step.wall = serial_wall(host, step) * (1 + 0.02 * double(std::int64_t(steps.size() % 3) - 1));
    steps.push_back(step);
  };
  for (const std::int64_t sequences : {1, 8, 32, 64, 128, 256}) add(5, sequences, LaunchMode::Graph);
  for (const double gpu : {1.0, 1.5, 2.0, 3.0}) add(gpu, 1, LaunchMode::Pieces);
  if (kernel_by_kernel)
    for (const double gpu : {5.0, 8.0, 10.0, 12.0}) add(gpu, 1, LaunchMode::Kernels);
  return steps;
}

TEST(HostFit, FindsTheFactorsThatTheStepsWereMadeWith) {
  const HostFactors truth{1.5, 2, 1.4, 1.8};
  const std::vector<TimedStep> steps = steps_of(truth, true);
  const HostFit fit = fit_host(base_host(), kLayers, steps);
  for (std::size_t i = 0; i < kHostGroups; ++i) {
    EXPECT_NEAR(fit.factors[i] / truth[i], 1, 0.08) << i;
    EXPECT_TRUE(fit.determined(HostGroup(i))) << i;
  }
}

TEST(HostFit, WhatNoStepShowsFollowsTheMachine) {
  const HostFit fit = fit_host(base_host(), kLayers, steps_of({2, 2, 2, 9}, false));
  EXPECT_FALSE(fit.determined(HostGroup::Kernels));
  EXPECT_EQ(fit.steps[std::size_t(HostGroup::Kernels)], 0u);
  EXPECT_NEAR(fit.factors[std::size_t(HostGroup::Kernels)], fit.factors[0], 0.02);
  EXPECT_NEAR(fit.factors[0], 2, 0.1);
}

TEST(HostFit, WithoutStepsNothingChanges) {
  const HostFit fit = fit_host(base_host(), kLayers, {});
  EXPECT_EQ(fit.factors, (HostFactors{1, 1, 1, 1}));
}

TEST(HostFit, OneStepThatWasDisturbedBarelyBendsIt) {
  std::vector<TimedStep> steps = steps_of({1, 1, 1, 1}, true);
  steps[2].wall *= 8;
  const HostFit fit = fit_host(base_host(), kLayers, steps);
  for (const double factor : fit.factors) EXPECT_NEAR(factor, 1, 0.25);
}

}  // namespace
}  // namespace warploom
