#include "warploom/kernels/moe/rank_workload.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace warploom {
namespace {

ContextKernel sglang(const char* version, const char* kernel) {
  return ContextKernel(KernelContext{"sglang", version, kernel});
}
const ContextKernel kClamped = sglang("0.5.10", "sglang_fused_moe_triton");

FusedMoe spread_over(std::int64_t ranks) {
  FusedMoe op;
  op.tokens = 16384;
  op.hidden = 4096;
  op.intermediate = 1536;
  op.experts = 128;
  op.top_k = 8;
  op.expert_parallel = ranks;
  return op;
}

TEST(RankWorkload, IsTheRoutingItselfWithoutExpertParallelism) {
  const FusedMoe op = spread_over(1);
  const RankWorkload work = rank_workload(op, routing_load(op), kClamped);
  EXPECT_EQ(work.tokens, 16384);
  EXPECT_EQ(work.choices, 8 * 16384);
  EXPECT_EQ(work.load.pairs, 8 * 16384);
  EXPECT_FALSE(work.untuned);
}

// 16,384 tokens on 128 ranks: 1,024 of them choose this rank's expert, with seven choices elsewhere.
TEST(RankWorkload, ClampedChoicesAreRowsOfTheFirstExpert) {
  const FusedMoe op = spread_over(128);
  const RankWorkload work = rank_workload(op, routing_load(op), kClamped);
  EXPECT_NEAR(work.tokens, 1024, 1e-6);
  EXPECT_NEAR(work.load.pairs, 8 * 1024, 1e-6);
  EXPECT_NEAR(work.load.row_tiles[3], 8 * 1024 / 64, 1e-6);
  EXPECT_NEAR(work.load.busiest_pairs, 8 * 1024, 1e-6);
  EXPECT_TRUE(work.untuned);
}

TEST(RankWorkload, OtherDataKeepAllTokensAndTheRanksOwnPairs) {
  const FusedMoe op = spread_over(128);
  for (const ContextKernel& kernel :
       {sglang("0.5.14", "sglang_fused_moe_triton"), sglang("0.5.10", "sglang_flashinfer_trtllm_moe"),
        ContextKernel(KernelContext{"vllm", "0.5.10", "vllm_fused_moe"})}) {
    const RankWorkload work = rank_workload(op, routing_load(op), kernel);
    EXPECT_EQ(work.tokens, 16384);
    EXPECT_NEAR(work.load.pairs, 1024, 1e-6);
  }
}

RC_GTEST_PROP(RankWorkload, KeepsTokensAndPairsWithinWhatThereIs, ()) {
  FusedMoe op = spread_over(*rc::gen::element(2, 4, 16, 64));
  op.tokens = *rc::gen::inRange(1, 20000);
  if (*rc::gen::arbitrary<bool>()) {
    op.routing = RoutingKind::PowerLaw;
    op.routing_alpha = *rc::gen::element(1.01, 1.2);
  }
  const RoutingLoad load = routing_load(op);
  const RankWorkload work = rank_workload(op, load, kClamped);
  RC_ASSERT(work.tokens <= double(op.tokens) && work.tokens > 0);
  RC_ASSERT(work.load.pairs >= load.pairs - 1e-9);
  RC_ASSERT(work.load.pairs <= std::max(work.choices, load.pairs) + 1e-9);
  for (std::size_t i = 0; i < kRowBlocks.size(); ++i)
    RC_ASSERT(work.load.row_tiles[i] * double(kRowBlocks[i]) >= work.load.pairs - double(kRowBlocks[i]));
}

}  // namespace
}  // namespace warploom
