#include "warploom/kernels/routing_spread.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warploom {
namespace {

FusedMoe routed_experts(std::int64_t tokens, std::int64_t ranks) {
  return {.tokens = tokens,
          .hidden = 7168,
          .intermediate = 2048,
          .experts = 256,
          .top_k = 8,
          .expert_parallel = ranks,
          .routing = RoutingKind::PowerLaw,
          .routing_alpha = 1.2};
}

RC_GTEST_PROP(RoutingSpread, EveryPairGoesToOneRankWhateverIsDrawn, ()) {
  const auto ranks = *rc::gen::inRange<std::int64_t>(1, 145);
  const auto pairs = *rc::gen::inRange<std::int64_t>(0, 2'000'000);
  RandomStream rng(std::uint64_t(*rc::gen::inRange(0, 1 << 20)), "test");
  std::vector<double> shares(std::size_t(ranks), 0.0);
  for (double& share : shares) share = rng.uniform() * rng.uniform();
  const double sum = std::accumulate(shares.begin(), shares.end(), 1e-12);
  for (double& share : shares) share /= sum;
  std::vector<std::int64_t> drawn(shares.size());
  draw_rank_pairs(shares, pairs, rng, drawn);
  RC_ASSERT(std::accumulate(drawn.begin(), drawn.end(), std::int64_t{0}) == pairs);
  RC_ASSERT(std::all_of(drawn.begin(), drawn.end(), [](std::int64_t count) { return count >= 0; }));
}

RC_GTEST_PROP(RoutingSpread, SharesAddUpToOnePlacedOrNot, ()) {
  FusedMoe op = routed_experts(*rc::gen::inRange<std::int64_t>(1, 5000), 1 << *rc::gen::inRange(0, 6));
  op.routing_alpha = double(*rc::gen::inRange(1, 25)) / 10;
  if (*rc::gen::arbitrary<bool>()) op.placement_groups = 1, op.redundant_experts = op.expert_parallel;
  RandomStream rng(7, "test");
  const std::vector<double> shares = rank_shares(op, rng);
  RC_ASSERT(shares.size() == std::size_t(op.expert_parallel));
  RC_ASSERT(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) < 1e-9);
}

TEST(RoutingSpread, DrawsHaveTheMeanAndTheDeviationOfChance) {
  const std::vector<double> shares{0.5, 0.25, 0.25};
  RandomStream rng(3, "test");
  std::vector<std::int64_t> drawn(3);
  constexpr int kTimes = 4000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kTimes; ++i) {
    draw_rank_pairs(shares, 1000, rng, drawn);
    sum += double(drawn[0]);
    squares += double(drawn[0]) * double(drawn[0]);
  }
  const double mean = sum / kTimes;
  EXPECT_NEAR(mean, 500, 2);
  EXPECT_NEAR(std::sqrt(squares / kTimes - mean * mean), std::sqrt(250), 0.8);
}

TEST(RoutingSpread, FallsWithTheTokensAndIsNoneWithoutChance) {
  const double few = busiest_spread(routed_experts(64, 32)), many = busiest_spread(routed_experts(8192, 32));
  EXPECT_GT(few, 2 * many);
  EXPECT_GT(many, 0);
  EXPECT_DOUBLE_EQ(busiest_spread(routed_experts(64, 1)), 0);
  FusedMoe balanced = routed_experts(64, 32);
  balanced.routing = RoutingKind::Balanced;
  EXPECT_DOUBLE_EQ(busiest_spread(balanced), 0);
  EXPECT_DOUBLE_EQ(few, busiest_spread(routed_experts(64, 32)));
}

}  // namespace
}  // namespace warploom
