#include "warploom/base/work_clock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "warploom/base/peak_memory.h"

namespace warploom {
namespace {

constexpr std::size_t kBlocks = 4000, kBlockBytes = 16384;  // 64 MB in blocks that the allocator keeps

// Holds many small blocks for a while and frees them.
std::size_t hold_blocks() {
  std::vector<std::vector<char>> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) blocks.emplace_back(kBlockBytes, char(i));
  return blocks.size();
}

TEST(WorkClock, CountsTheMemoryOfEachPieceOfWorkAlone) {
  if (!reset_peak_memory()) GTEST_SKIP() << "the system counts no peak";
#if defined(WARPLOOM_SANITIZED)
  GTEST_SKIP() << "a sanitizer's allocator keeps what was freed";
#endif
  // What the first freed does not make the second look free of charge.
  for (int turn = 0; turn < 2; ++turn) {
    const WorkClock clock;
    ASSERT_EQ(hold_blocks(), kBlocks);
    EXPECT_GT(clock.cost().peak_bytes, 0.8 * kBlocks * kBlockBytes) << turn;
  }
}

TEST(WorkClock, TellsWorkFromWaiting) {
  const WorkClock waiting;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const WorkCost waited = waiting.cost();
  EXPECT_GE(waited.seconds, 0.06);
  EXPECT_LT(waited.cpu_seconds, 0.03);
  const WorkClock working;
  volatile std::uint64_t sum = 0;
  const double before = thread_cpu_seconds();
  while (thread_cpu_seconds() - before < 0.03) sum = sum + 1;
  EXPECT_GE(working.cost().cpu_seconds, 0.029);
}

}  // namespace
}  // namespace warploom
