#include "warploom/kernels/work.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace warploom {
namespace {

TEST(Work, OfAGemmCountsEachOperandOnce) {
  const Work work = work_of(Gemm{.m = 10, .n = 20, .k = 30, .batch = 2});
  EXPECT_DOUBLE_EQ(work.matrix_flop.value(), 2.0 * 10 * 20 * 30 * 2);
  EXPECT_DOUBLE_EQ(work.weight_bytes.value(), 20.0 * 30 * 2 * 2);
  EXPECT_DOUBLE_EQ(work.input_bytes.value(), 10.0 * 30 * 2 * 2);
  EXPECT_DOUBLE_EQ(work.output_bytes.value(), 10.0 * 20 * 2 * 2);
  EXPECT_DOUBLE_EQ(work.launches, 1);
}

TEST(Work, OfAQuantisingGemmReadsWideAndKeepsTheNarrowCopy) {
  const Work work = work_of(Gemm{.scheme = MatmulScheme::Fp8, .m = 8, .n = 16, .k = 32});
  EXPECT_DOUBLE_EQ(work.input_bytes.value(), 8.0 * 32 * 2);
  EXPECT_DOUBLE_EQ(work.scratch_bytes.value(), 8.0 * 32);
  EXPECT_DOUBLE_EQ(work.weight_bytes.value(), 16.0 * 32);
  EXPECT_DOUBLE_EQ(work.launches, 2);
}

TEST(Work, OfCausalAttentionIsTheTriangle) {
  const AttentionPrefill op{.heads = 4, .kv_heads = 2, .head_dim = 64, .requests = {{3, 10, 5}}};
  const double pairs = 3.0 * 4 * (10 * 5 + 55);
  const Work work = work_of(op);
  EXPECT_DOUBLE_EQ(work.matrix_flop.value(), 4 * 64 * pairs);
  EXPECT_DOUBLE_EQ(work.special_ops, pairs);
  EXPECT_DOUBLE_EQ(work.cache_bytes.value(), 3.0 * 15 * 2 * 2 * 64 * 2);
}

TEST(Work, OfMlaDecodeReadsTheLatentOnceForAllHeads) {
  const MlaDecode op{.shape = {.heads = 16}, .requests = {{2, 1, 99}}};
  const Work work = work_of(op);
  EXPECT_DOUBLE_EQ(work.cache_bytes.value(), 2.0 * 100 * 576 * 2);
  EXPECT_DOUBLE_EQ(work.matrix_flop.value(), 2.0 * 200 * 16 * (576 + 512));
}

RC_GTEST_PROP(Work, WindowedPairsMatchACount, ()) {
  const auto queries = *rc::gen::inRange<std::int64_t>(1, 60);
  const auto context = *rc::gen::inRange<std::int64_t>(0, 60);
  const auto window = *rc::gen::inRange<std::int64_t>(1, 80);
  double expected = 0;
  for (std::int64_t i = 0; i < queries; ++i) expected += double(std::min(window, context + i + 1));
  const AttentionPrefill op{.window = window, .requests = {{1, queries, context}}};
  RC_ASSERT(attended_pairs(view_of(op), op.requests[0]) == expected);
}

TEST(Work, OfAnAllReduceIsTheRing) {
  const Work work = work_of(Collective{.size = Bytes(1e6), .ranks = 4});
  EXPECT_DOUBLE_EQ(work.network_bytes.value(), 2 * 1e6 * 3 / 4);
}

TEST(Work, OfAModuleIsMoreThanItsAttention) {
  MlaModule module{.decode = true, .shape = {.heads = 16}, .requests = {{4, 1, 1000}}};
  const Work whole = work_of(module), attention = attention_work(view_of(module));
  EXPECT_GT(whole.matrix_flop.value(), attention.matrix_flop.value());
  EXPECT_GT(whole.weight_bytes.value(), 0);
  EXPECT_DOUBLE_EQ(whole.cache_bytes.value(), attention.cache_bytes.value());
}

TEST(MoeRouting, BalancedSpreadsEvenly) {
  const RoutingLoad load = routing_load({.tokens = 64, .experts = 8, .top_k = 2});
  EXPECT_DOUBLE_EQ(load.pairs, 128);
  EXPECT_DOUBLE_EQ(load.experts_hit, 8);
  EXPECT_DOUBLE_EQ(load.busiest_pairs, 16);
  EXPECT_DOUBLE_EQ(load.row_tiles[1], 8);  // 16 rows each
  const RoutingLoad one = routing_load({.tokens = 1, .experts = 128, .top_k = 8});
  EXPECT_DOUBLE_EQ(one.experts_hit, 8);
}

RC_GTEST_PROP(MoeRouting, PairsAreConservedOnOneRank, ()) {
  FusedMoe op;
  op.experts = *rc::gen::inRange<std::int64_t>(2, 200);
  op.top_k = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(op.experts, 9));
  op.tokens = *rc::gen::inRange<std::int64_t>(1, 3000);
  op.routing = *rc::gen::element(RoutingKind::Balanced, RoutingKind::PowerLaw);
  op.routing_alpha = 1.2;
  const RoutingLoad load = routing_load(op);
  RC_ASSERT(std::abs(load.pairs - double(op.tokens * op.top_k)) < 1e-6 * load.pairs);
  RC_ASSERT(load.experts_hit <= double(op.experts) + 1e-9);
  RC_ASSERT(load.busiest_pairs <= double(op.tokens) + 1e-9);
  for (std::size_t i = 0; i < kRowBlocks.size(); ++i) {
    RC_ASSERT(load.row_tiles[i] * double(kRowBlocks[i]) >= load.pairs - 1e-6);
    RC_ASSERT(load.row_tiles[i] >= load.experts_hit - 1e-6);
  }
}

TEST(MoeRouting, PowerLawIsHeavierOnTheBusiestRankAndRepeatable) {
  const FusedMoe even{.tokens = 512, .experts = 128, .top_k = 8, .expert_parallel = 8};
  FusedMoe skewed = even;
  skewed.routing = RoutingKind::PowerLaw;
  skewed.routing_alpha = 1.2;
  EXPECT_GT(routing_load(skewed).pairs, routing_load(even).pairs);
  const RoutingCache cache;
  EXPECT_EQ(cache.find(skewed).pairs, routing_load(skewed).pairs);
  EXPECT_EQ(cache.find(skewed).pairs, cache.find(skewed).pairs);
}

}  // namespace
}  // namespace warploom
