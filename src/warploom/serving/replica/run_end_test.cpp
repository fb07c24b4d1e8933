#include "warploom/serving/replica/run_end.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warploom {
namespace {

constexpr StepCost kCost{milliseconds(8), milliseconds(10), milliseconds(14), Seconds(0.0)};

double whole_ms(const StepAtEnd& step) { return to_milliseconds(step.host.whole(step.gpu, false)); }

// A host that takes so long before each step, one after the other.
HostModel before(double ms) { return {.prepare = milliseconds(ms)}; }

TEST(RunEnd, ARunAtItsMedianHasTheMedians) {
  const HostModel host = before(3), slow = before(5);
  const StepAtEnd step = step_at_end(kCost, true, StepTime::Mid, {.host = host, .at_end = &slow});
  EXPECT_EQ(step.gpu, kCost.p50);
  EXPECT_EQ(step.host.before, milliseconds(3));
}

TEST(RunEnd, KernelsDeviateByTheShareOfAStepsWidthThatARunKeeps) {
  const HostModel host = before(3);
  const auto gpu_ms = [&](bool prompts, StepTime time) {
    return to_milliseconds(step_at_end(kCost, prompts, time, {.host = host, .at_end = nullptr}).gpu);
  };
  EXPECT_NEAR(gpu_ms(false, StepTime::High), 10 + 4 * kDecodeRunShare, 1e-9);
  EXPECT_NEAR(gpu_ms(false, StepTime::Low), 10 - 2 * kDecodeRunShare, 1e-9);
  EXPECT_NEAR(gpu_ms(true, StepTime::High), 10 + 4 * kPromptRunShare, 1e-9);
}

TEST(RunEnd, KernelsAndHostDeviateAsIndependentParts) {
  const HostModel host = before(3), slow = before(5), fast = before(2);
  const HostAsked asked{.host = host, .at_end = &slow, .async = false};
  const StepAtEnd high = step_at_end(kCost, true, StepTime::High, asked);
  EXPECT_NEAR(whole_ms(high), 13 + std::hypot(4 * kPromptRunShare, 2 * kHostRunShare), 1e-9);
  const HostAsked other{.host = host, .at_end = &fast, .async = false};
  const StepAtEnd low = step_at_end(kCost, true, StepTime::Low, other);
  EXPECT_NEAR(whole_ms(low), 13 - std::hypot(2 * kPromptRunShare, 1 * kHostRunShare), 1e-9);
}

TEST(RunEnd, AHostThatNoStepWaitsForWidensNothing) {
  const HostModel host = before(3), slow = before(5);
  const StepAtEnd step = step_at_end(kCost, false, StepTime::High, {.host = host, .at_end = &slow});
  EXPECT_NEAR(to_milliseconds(step.host.whole(step.gpu, true)), 10 + 4 * kDecodeRunShare, 1e-9);
}

TEST(RunEnd, WhatIsNotKnownOfLaunchesIsTakenWhole) {
  const HostModel host{.launch_kernels = milliseconds(40), .prompt_launch = milliseconds(20)};
  const HostAsked asked{.host = host, .at_end = nullptr, .mode = LaunchMode::DecodeKernels, .async = false};
  const StepCost sure{milliseconds(10), milliseconds(10), milliseconds(10), Seconds(0.0)};
  EXPECT_NEAR(whole_ms(step_at_end(sure, false, StepTime::Mid, asked)), 20, 1e-9);
  EXPECT_NEAR(whole_ms(step_at_end(sure, false, StepTime::High, asked)), 40, 1e-9);
}

}  // namespace
}  // namespace warploom
