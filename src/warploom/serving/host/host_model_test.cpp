#include "warploom/serving/host/host_model.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

HostModel example_host() {
  return {.schedule = milliseconds(1),
          .schedule_per_sequence = microseconds(10),
          .prepare = milliseconds(2),
          .prepare_per_sequence = microseconds(5),
          .launch_graph = milliseconds(1),
          .launch_pieces = milliseconds(4),
          .launch_kernels = milliseconds(40),
          .finish = milliseconds(0.5),
          .finish_per_sequence = microseconds(2),
          .gap = milliseconds(0.1),
          .gap_per_sequence = microseconds(1)};
}

TEST(HostModel, AddsUpConstantsAndSequences) {
  const HostStep step = example_host().step(100, LaunchMode::Pieces);
  EXPECT_NEAR(to_milliseconds(step.before), 1 + 2 + 100 * 0.015, 1e-9);
  EXPECT_NEAR(to_milliseconds(step.launch), 4, 1e-9);
  EXPECT_NEAR(to_milliseconds(step.finish), 0.5 + 100 * 0.002, 1e-9);
  EXPECT_NEAR(to_milliseconds(step.gap), 0.1 + 100 * 0.001, 1e-9);
}

TEST(HostModel, WithoutAsyncSchedulingTheGpuWaitsForTheHost) {
  const HostModel host = example_host();
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, LaunchMode::Graph, false)), 3 + 0.5, 1e-9);
  // Launches beyond the kernels show; the GPU has the rest to run when they end.
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, LaunchMode::Kernels, false)), 3 + 20 + 0.5,
              1e-9);
}

TEST(HostModel, PausesBetweenKernelsAreTheGpus) {
  HostModel host = example_host();
  host.pause = milliseconds(0.2);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, LaunchMode::Graph, true)), 0.1 + 0.2, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, LaunchMode::Graph, false)), 3.5 + 0.2, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, LaunchMode::Kernels, true)), 43.5 - 20, 1e-9)
      << "hidden behind launches";
  host.pause = milliseconds(-0.2);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, LaunchMode::Graph, true)), 0.1 - 0.2, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, LaunchMode::Kernels, true)), 43.5 - 20,
              1e-9);
}

TEST(HostModel, AsyncSchedulingHidesAHostThatIsFastEnough) {
  const HostModel host = example_host();
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, LaunchMode::Graph, true)), 0.1, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, LaunchMode::Kernels, true)), 43.5 - 20,
              1e-9);
  EXPECT_EQ(HostModel{}.overhead(milliseconds(20), 9, LaunchMode::Kernels, true).value(), 0);
}

}  // namespace
}  // namespace warploom
