#include "warploom/serving/batching/state_chunks.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

constexpr StatePlaces kWithin{.page = 560, .within_chunks = true}, kAtEnds{.page = 560};

std::int64_t tokens(const StatePlaces& places, std::int64_t start, std::int64_t tokens, std::int64_t prompt,
                    std::int64_t branch = 0) {
  return tokens_to_state(
      {.start = start, .tokens = tokens, .prompt = prompt, .known = prompt, .branch = branch}, places, 8192);
}

// _mamba_block_aligned_split by hand, blocks of 560 tokens.
TEST(StateChunks, WholePromptRunsInOneStepWhereTheKernelWritesWithin) {
  EXPECT_EQ(tokens(kWithin, 0, 2000, 2000), 2000);
  EXPECT_EQ(tokens(kAtEnds, 0, 2000, 2000), 3 * 560);  // stops at the last place, and the rest comes next
  EXPECT_EQ(tokens(kAtEnds, 1680, 320, 2000), 320);
  EXPECT_EQ(tokens(kAtEnds, 0, 500, 500), 500);    // no place in it
  EXPECT_EQ(tokens(kAtEnds, 0, 1120, 1120), 560);  // one token at least comes after the last place
}

TEST(StateChunks, PartsOfAPromptEndAtPlaces) {
  EXPECT_EQ(tokens(kWithin, 0, 8192, 20'000), 14 * 560);
  EXPECT_EQ(tokens(kWithin, 7840, 8192, 20'000), 14 * 560);
  EXPECT_EQ(tokens(kWithin, 0, 300, 20'000), 0);  // what is left of a step is below a block: it waits
  EXPECT_EQ(tokens_to_state({.start = 0, .tokens = 300, .prompt = 20'000, .known = 20'000}, kWithin, 400),
            300);
}

TEST(StateChunks, StopWhereAPromptLeavesOthers) {
  EXPECT_EQ(tokens(kWithin, 0, 4000, 4000, 1120), 1120);
  EXPECT_EQ(tokens(kWithin, 1120, 2880, 4000, 1120), 2880);
}

TEST(StateChunks, DecodingIsNotCut) {
  EXPECT_EQ(tokens_to_state({.start = 2000, .tokens = 4, .prompt = 2000, .known = 2004}, kAtEnds, 8192), 4);
}

}  // namespace
}  // namespace warploom
