#include "warploom/base/peak_memory.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace warploom {
namespace {

TEST(PeakMemory, KeepsWhatWasHeldAfterItIsGivenBack) {
  if (!reset_peak_memory() || peak_memory() == 0) GTEST_SKIP() << "this system does not count memory";
  const std::uint64_t before = resident_memory();
  constexpr std::size_t kBytes = 64 << 20;
  std::uint64_t while_held = 0;
  {
    std::vector<std::uint8_t> held(kBytes, 1);
    EXPECT_EQ(std::accumulate(held.begin(), held.end(), std::uint64_t{0}), kBytes);
    while_held = peak_memory();
  }
  EXPECT_GE(while_held, before + kBytes / 2);
  // Linux counts pages on each core and adds them up in batches.
  constexpr std::uint64_t kUncounted = 1 << 20;
  EXPECT_GE(peak_memory() + kUncounted, while_held);
}

}  // namespace
}  // namespace warploom
