#include "warploom/models/mega_moe_buffer.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

MegaMoeShape shape(std::int64_t ranks, std::int64_t tokens) {
  return {.ranks = ranks,
          .experts = 384,
          .top_k = 6,
          .hidden = 7168,
          .intermediate = 3072,
          .shared_experts = 1,
          .tokens = tokens,
          .sms = 146};
}

TEST(MegaMoeBuffer, HoldsAtLeastWhatGoesOutAndComesBack) {
  // 1,920 tokens go out in fp8 with scales and come back in bf16, for each choice and the shared expert.
  const double least = 1920 * (7168 * (1 + 1.0 / 32) + 7 * 2 * 7168.0);
  const double bytes = mega_moe_buffer(shape(8, 1920)).value();
  EXPECT_GT(bytes, least);
  EXPECT_LT(bytes, 3 * least);
}

TEST(MegaMoeBuffer, GrowsWithTokensByTheirStepAndWithRanks) {
  EXPECT_EQ(mega_moe_buffer(shape(8, 1)).value(), mega_moe_buffer(shape(8, 1920)).value());
  EXPECT_GT(mega_moe_buffer(shape(8, 1921)).value(), mega_moe_buffer(shape(8, 1920)).value());
  EXPECT_GT(mega_moe_buffer(shape(32, 8192)).value(), mega_moe_buffer(shape(8, 8192)).value());
  // 1 to 4 GiB of a GPU's 192 as engines start it.
  const double gib = to_gibibytes(mega_moe_buffer(shape(8, 8192)));
  EXPECT_GT(gib, 1);
  EXPECT_LT(gib, 4);
}

TEST(MegaMoeBuffer, WithoutSharedExpertsTakesLess) {
  MegaMoeShape alone = shape(8, 8192);
  alone.shared_experts = 0;
  EXPECT_LT(mega_moe_buffer(alone).value(), mega_moe_buffer(shape(8, 8192)).value());
}

}  // namespace
}  // namespace warploom
