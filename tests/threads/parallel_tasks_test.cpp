#include "warploom/base/parallel_tasks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace warploom {
namespace {

TEST(ParallelTasks, RunsEachTaskOnceOnAnyNumberOfThreads) {
  for (const int threads : {0, 1, 2, 8}) {
    std::vector<int> runs(100, 0);  // each task has an element of its own
    run_tasks(runs.size(), threads, [&](std::size_t i) { ++runs[i]; });
    EXPECT_EQ(runs, std::vector<int>(100, 1)) << threads;
  }
}

TEST(ParallelTasks, ThrowsTheFirstErrorOnceAllThreadsStand) {
  std::atomic<int> running{0};
  const auto task = [&](std::size_t i) {
    ++running;
    if (i % 10 == 3) {
      --running;
      throw std::runtime_error("task");
    }
    --running;
  };
  EXPECT_THROW(run_tasks(50, 4, task), std::runtime_error);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace warploom
