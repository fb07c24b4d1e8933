#include "warploom/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace warploom {
namespace {

TEST(ParallelFor, RunsEachTaskOnceOnAnyNumberOfThreads) {
  for (const int threads : {0, 1, 2, 8}) {
    std::vector<int> runs(100, 0);  // each task has an element of its own
    parallel_for(runs.size(), std::size_t(threads), [&](std::size_t i) { ++runs[i]; });
    EXPECT_EQ(runs, std::vector<int>(100, 1)) << threads;
  }
}

TEST(ParallelFor, ThrowsTheFirstErrorOnceAllThreadsStand) {
  std::atomic<int> running{0};
  const auto task = [&](std::size_t i) {
    ++running;
    if (i % 10 == 3) {
      --running;
      throw std::runtime_error("task");
    }
    --running;
  };
  EXPECT_THROW(parallel_for(50, 4, task), std::runtime_error);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace warploom
