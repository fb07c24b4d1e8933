#include "warploom/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace warploom {
namespace {

TEST(ParallelFor, RunsEveryTaskOnceOnAnyNumberOfThreads) {
  for (const std::size_t threads : {0U, 1U, 2U, 7U}) {
    std::vector<int> runs(1000, 0);
    parallel_for(runs.size(), threads, [&](std::size_t i) { ++runs[i]; });
    EXPECT_EQ(runs, std::vector<int>(1000, 1)) << threads;
  }
  parallel_for(0, 4, [](std::size_t) { FAIL() << "no task, no call"; });
}

TEST(ParallelFor, ThrowsTheFailureOfTheLowestTask) {
  for (const std::size_t threads : {1U, 2U, 8U})
    for (int round = 0; round < 50; ++round) {
      std::string thrown;
      try {
        parallel_for(200, threads, [](std::size_t i) {
          if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
        });
      } catch (const std::runtime_error& error) {
        thrown = error.what();
      }
      EXPECT_EQ(thrown, "7") << threads;
    }
}

TEST(ParallelFor, AFailureCancelsWhatIsNotStarted) {
  std::atomic<int> started{0};
  EXPECT_THROW(parallel_for(1'000'000, 2,
                            [&](std::size_t) {
                              ++started;
                              throw std::runtime_error("stop");
                            }),
               std::runtime_error);
  EXPECT_LE(started, 2);
}

TEST(ParallelForEachThread, MakesOneTaskAThread) {
  std::atomic<int> made{0};
  std::vector<std::size_t> results(500);
  parallel_for_each_thread(results.size(), 3, [&] {
    ++made;
    return [&, memory = std::vector<std::size_t>()](std::size_t i) mutable {
      memory.assign(i, 1);
      results[i] = std::accumulate(memory.begin(), memory.end(), std::size_t{0});
    };
  });
  EXPECT_GE(made, 1);
  EXPECT_LE(made, 3);
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], i);
}

}  // namespace
}  // namespace warploom
