#include "warploom/kernels/placed_routing.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/operator_checker.h"
#include "warploom/kernels/operator_fields.h"

namespace warploom {
namespace {

// DeepSeek-V3's experts.
FusedMoe experts(std::int64_t tokens, std::int64_t ranks) {
  FusedMoe op;
  op.tokens = tokens;
  op.hidden = 7168, op.intermediate = 2048, op.experts = 256, op.top_k = 8;
  op.expert_parallel = ranks;
  op.routing = RoutingKind::PowerLaw;
  op.routing_alpha = 1.2;
  return op;
}

FusedMoe placed(FusedMoe op, std::int64_t redundant, std::int64_t groups = 1, std::int64_t nodes = 1) {
  op.redundant_experts = redundant;
  op.placement_groups = groups;
  op.placement_nodes = nodes;
  return op;
}

// Pairs of the busiest rank over the mean of all.
double imbalance(const FusedMoe& op) {
  return routing_load(op).pairs * double(op.expert_parallel) / double(op.tokens * op.top_k);
}

TEST(PlacedRouting, IsMoreEvenThanOrderAndMoreSoWithReplicas) {
  const FusedMoe op = experts(8192, 32);
  EXPECT_GT(imbalance(op), imbalance(placed(op, 0)));
  EXPECT_GT(imbalance(placed(op, 0)), imbalance(placed(op, 32)));
  EXPECT_GE(imbalance(placed(op, 32)), 1);
  EXPECT_LT(imbalance(placed(op, 32)), 1.2);
  // Whole groups leave less room.
  EXPECT_GE(imbalance(placed(op, 32, 8, 4)), imbalance(placed(op, 32)));
}

// A step of few tokens chooses by chance, wherever experts lie.
TEST(PlacedRouting, FewTokensStayUneven) {
  EXPECT_GT(imbalance(placed(experts(64, 32), 32)), 1.2);
  FusedMoe even = placed(experts(4096, 32), 32);
  even.routing = RoutingKind::Uniform;
  EXPECT_GT(imbalance(even), 1);
  EXPECT_LT(imbalance(even), 1.3);
}

TEST(PlacedRouting, CountsWhatTheRankHolds) {
  const RoutingLoad load = routing_load(placed(experts(4096, 144), 32));
  EXPECT_DOUBLE_EQ(load.experts_held, 2);
  EXPECT_LE(load.experts_hit, 2);
  EXPECT_GE(load.row_tiles[0], load.pairs / double(kRowBlocks[0]));
  const RoutingLoad again = routing_load(placed(experts(4096, 144), 32));
  EXPECT_EQ(load.pairs, again.pairs);
  // Cached apart from the same experts in order.
  const RoutingCache cache;
  EXPECT_NE(cache.find(experts(4096, 32)).pairs, cache.find(placed(experts(4096, 32), 32)).pairs);
}

// One rank holds every replica: its pairs are all there are.
TEST(PlacedRouting, OneRankHasAllPairs) {
  EXPECT_DOUBLE_EQ(routing_load(placed(experts(300, 1), 16)).pairs, 300 * 8);
}

TEST(PlacedRouting, ChecksThatSlotsDivide) {
  const auto refused = [](const FusedMoe& op) {
    try {
      check_operator(op, "here");
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(placed(experts(64, 144), 32)), "");
  EXPECT_NE(refused(placed(experts(64, 144), 16)).find("must divide 'experts' plus"), std::string::npos);
  EXPECT_NE(refused(placed(experts(64, 32), 32, 3, 1)).find("'placement_groups'"), std::string::npos);
  EXPECT_NE(refused(placed(experts(64, 32), 32, 8, 3)).find("'placement_nodes'"), std::string::npos);
  FusedMoe in_order = experts(64, 32);
  in_order.redundant_experts = 32;
  EXPECT_NE(refused(in_order).find("'placement_groups' above 0"), std::string::npos);
}

}  // namespace
}  // namespace warploom
