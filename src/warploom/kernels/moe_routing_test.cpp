#include "warploom/kernels/moe_routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "warploom/base/random.h"

namespace warploom {
namespace {

// The rule of the header, pair by pair.
RoutingLoad count_pairs(const FusedMoe& op) {
  const std::int64_t stride = (op.experts + op.top_k - 1) / op.top_k;
  std::vector<std::int64_t> counts(std::size_t(op.experts), 0);
  for (std::int64_t t = 0; t < op.tokens; ++t)
    for (std::int64_t j = 0; j < op.top_k; ++j) {
      const std::int64_t start = op.tokens < stride ? t * stride / op.tokens : t;
      ++counts[std::size_t((start + j * stride) % op.experts)];
    }
  RoutingLoad load;
  const std::int64_t held = std::max<std::int64_t>(1, op.experts / op.expert_parallel);
  load.experts_held = double(held);
  for (std::int64_t e = 0; e < held; ++e) {
    const std::int64_t pairs = counts[std::size_t(e)];
    load.pairs += double(pairs);
    load.experts_hit += pairs > 0 ? 1 : 0;
    load.busiest_pairs = std::max(load.busiest_pairs, double(pairs));
    for (std::size_t i = 0; i < kRowBlocks.size(); ++i)
      load.row_tiles[i] += double((pairs + kRowBlocks[i] - 1) / kRowBlocks[i]);
  }
  return load;
}

TEST(RoutingLoad, CountsBalancedPairsAsDealtOneByOne) {
  RandomStream random(4, "routing");
  for (int i = 0; i < 400; ++i) {
    FusedMoe op;
    op.experts = random.integer(1, 300);
    op.top_k = random.integer(1, std::min<std::int64_t>(op.experts, i % 5 == 0 ? 100 : 12));
    if (i % 3 == 0) op.experts = op.top_k * random.integer(1, 40);
    op.tokens = random.integer(1, i % 2 == 0 ? 40 : 3000);
    op.expert_parallel = random.integer(1, std::min<std::int64_t>(op.experts, 8));
    const RoutingLoad fast = routing_load(op), slow = count_pairs(op);
    EXPECT_EQ(fast.experts_held, slow.experts_held);
    EXPECT_EQ(fast.experts_hit, slow.experts_hit);
    EXPECT_EQ(fast.pairs, slow.pairs);
    EXPECT_EQ(fast.busiest_pairs, slow.busiest_pairs);
    EXPECT_EQ(fast.row_tiles, slow.row_tiles);
  }
}

// Where every expert is hit for certain the short way gives what the formula gives.
TEST(RandomExpertsHit, AgreesWithTheFormulaAroundItsShortcut) {
  for (std::int64_t tokens = 1; tokens < 2000; tokens += 13) {
    const FusedMoe op{.tokens = tokens, .experts = 128, .top_k = 8};
    EXPECT_EQ(random_experts_hit(op), 128 * -std::expm1(double(tokens) * std::log1p(-8.0 / 128)));
  }
}

}  // namespace
}  // namespace warploom
