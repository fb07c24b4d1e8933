#include "warploom/serving/host/step_timeline.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

SimTime at_ms(double ms) { return to_sim_time(milliseconds(ms)); }

HostStep host_step(double before, double launch, double finish, double gap = 0) {
  return {milliseconds(before), milliseconds(launch), milliseconds(finish), milliseconds(gap)};
}

TEST(StepTimeline, OneStepAtATimeWaitsForTheHost) {
  StepTimeline timeline(1, 1);
  const StepTimeline::Span span = timeline.begin(at_ms(10), host_step(1, 2, 0.5), milliseconds(7));
  EXPECT_EQ(span.begin, at_ms(10));
  EXPECT_EQ(span.end, at_ms(18.5));
  EXPECT_NEAR(to_milliseconds(span.host), 1.5, 1e-9);
  EXPECT_TRUE(timeline.full());
  EXPECT_EQ(timeline.oldest_end(), at_ms(18.5));
  timeline.finish(at_ms(18.5));
  EXPECT_EQ(timeline.in_flight(), 0u);
}

TEST(StepTimeline, KernelsEndNoEarlierThanTheirLaunch) {
  StepTimeline timeline(1, 1);
  EXPECT_EQ(timeline.begin(at_ms(0), host_step(1, 30, 0.5), milliseconds(7)).end, at_ms(31.5));
}

// What vLLM showed on H200 (docs/notebook/0043, section 4): a step without graphs ends after the larger of
// its kernels and what is left of its launch when the step before leaves the GPU.
TEST(StepTimeline, ALaunchOverlapsTheStepBefore) {
  StepTimeline timeline(1, 2);
  timeline.begin(at_ms(0), host_step(0, 1, 0), milliseconds(15));
  timeline.begin(at_ms(0), host_step(0, 46, 0), milliseconds(20));  // launched from 1 to 47
  EXPECT_EQ(timeline.oldest_end(), at_ms(47)) << "the tokens of the first wait for the launch of the second";
  timeline.finish(at_ms(47));
  EXPECT_EQ(timeline.oldest_end(), at_ms(47)) << "kernels (15 to 35) were waited for by the launch";
}

TEST(StepTimeline, PausesBetweenKernelsMakeAStepLonger) {
  HostStep host = host_step(1, 1, 0.25);
  host.pause = milliseconds(0.5);
  StepTimeline timeline(1, 1), stages(2, 2);
  const StepTimeline::Span span = timeline.begin(at_ms(0), host, milliseconds(10));
  EXPECT_EQ(span.end, at_ms(11.75));
  EXPECT_NEAR(to_milliseconds(span.host), 1.75, 1e-9);
  EXPECT_NEAR(to_milliseconds(stages.begin(at_ms(0), host, milliseconds(10)).host), 1.75, 1e-9);
}

TEST(StepTimeline, TheGpuPausesBetweenStepsHoweverEarlyTheyAreLaunched) {
  StepTimeline timeline(1, 2);
  timeline.begin(at_ms(5), host_step(1, 1, 0.25, 0.5), milliseconds(10));
  timeline.begin(at_ms(5), host_step(1, 1, 0.25, 0.5), milliseconds(10));
  EXPECT_EQ(timeline.oldest_end(), at_ms(16.25));
  timeline.finish(at_ms(16.25));
  EXPECT_EQ(timeline.oldest_end(), at_ms(26.75));
  const StepTimeline::Span third = timeline.begin(at_ms(16.25), host_step(1, 1, 0.25, 0.5), milliseconds(10));
  EXPECT_EQ(third.begin, at_ms(26.5));
  EXPECT_NEAR(to_milliseconds(third.host), 0.5, 1e-9);
}

TEST(StepTimeline, StagesShareAStepAndLaunchForThemselves) {
  StepTimeline timeline(4, 4);
  for (int i = 0; i < 4; ++i) timeline.begin(at_ms(0), host_step(0, 0, 0), milliseconds(8));
  EXPECT_TRUE(timeline.full());
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(timeline.oldest_end(), at_ms(8 + 2 * i));
    timeline.finish(timeline.oldest_end());
  }
}

TEST(StepTimeline, ForgetsStepsWhenReset) {
  StepTimeline timeline(1, 2);
  timeline.begin(at_ms(0), host_step(1, 1, 1), milliseconds(100));
  timeline.reset(at_ms(20));
  EXPECT_EQ(timeline.in_flight(), 0u);
  EXPECT_EQ(timeline.begin(at_ms(30), host_step(1, 0, 1), milliseconds(5)).begin, at_ms(30));
  EXPECT_EQ(timeline.oldest_end(), at_ms(37));
}

}  // namespace
}  // namespace warploom
