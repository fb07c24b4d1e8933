#include "warploom/serving/pricing/batch_overlap.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

StepBatch decoding(std::int64_t requests, std::int64_t narrowest = 0) {
  StepBatch batch;
  batch.decode_requests = requests;
  batch.narrowest_rank_tokens = narrowest;
  return batch;
}

TEST(BatchOverlap, SplitsFromTheThresholdOfTheSmallestRankOn) {
  const BatchOverlap overlap{.decode_from = 32, .prompts_from = 512};
  EXPECT_FALSE(overlap.splits(decoding(31)));
  EXPECT_TRUE(overlap.splits(decoding(32)));
  EXPECT_FALSE(overlap.splits(decoding(64, 31)));  // another rank has 31
  StepBatch prompt = decoding(100);
  prompt.chunk_tokens = 300;
  EXPECT_FALSE(overlap.splits(prompt));
  prompt.chunk_tokens = 412;
  EXPECT_TRUE(overlap.splits(prompt));
  EXPECT_FALSE(BatchOverlap{}.splits(decoding(1000)));
  EXPECT_FALSE((BatchOverlap{.decode_from = 1}.splits(decoding(1))));  // no halves
}

TEST(BatchOverlap, HidesTheShorterOfComputingAndExchangeButItsEnds) {
  // One layer: the first dispatch and the last combine, half of the exchange, stand alone.
  EXPECT_DOUBLE_EQ(overlapped_seconds(1, 10, 4, 1), 2);
  EXPECT_DOUBLE_EQ(overlapped_seconds(1, 10, 4, 50), 4 - 0.04);
  EXPECT_DOUBLE_EQ(overlapped_seconds(1, 3, 100, 50), 3);
  EXPECT_DOUBLE_EQ(overlapped_seconds(1, 10, 0, 50), 0);
  // Beside an exchange on a quarter of the SMs computing goes at three quarters.
  EXPECT_DOUBLE_EQ(overlapped_seconds(0.75, 100, 4, 1), 0.75 * 2);
}

}  // namespace
}  // namespace warploom
