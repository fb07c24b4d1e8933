#include "warploom/kernels/uniform_routing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/kernels/moe_routing.h"

namespace warploom {
namespace {

FusedMoe random_choices(std::int64_t tokens, std::int64_t experts, std::int64_t top_k,
                        std::int64_t expert_parallel = 1) {
  FusedMoe op;
  op.tokens = tokens;
  op.experts = experts;
  op.top_k = top_k;
  op.expert_parallel = expert_parallel;
  op.routing = RoutingKind::Uniform;
  return op;
}

struct Means {
  double hit = 0, busiest = 0, tiles_of_8 = 0;
};

// Every way in which the tokens can choose, each as likely as any other.
Means enumerated(const FusedMoe& op) {
  std::vector<std::vector<std::int64_t>> choices;  // of one token: its experts
  std::vector<std::int64_t> chosen;
  const std::function<void(std::int64_t)> choose = [&](std::int64_t from) {
    if (std::ssize(chosen) == op.top_k) return choices.push_back(chosen);
    for (std::int64_t e = from; e < op.experts; ++e) {
      chosen.push_back(e);
      choose(e + 1);
      chosen.pop_back();
    }
  };
  choose(0);
  Means sum;
  double ways = 0;
  std::vector<std::int64_t> counts(std::size_t(op.experts), 0);
  const std::function<void(std::int64_t)> place = [&](std::int64_t token) {
    if (token == op.tokens) {
      ++ways;
      for (const std::int64_t count : counts) {
        sum.hit += count > 0 ? 1 : 0;
        sum.tiles_of_8 += double((count + 7) / 8);
      }
      sum.busiest += double(*std::max_element(counts.begin(), counts.end()));
      return;
    }
    for (const auto& choice : choices) {
      for (const std::int64_t e : choice) ++counts[std::size_t(e)];
      place(token + 1);
      for (const std::int64_t e : choice) --counts[std::size_t(e)];
    }
  };
  place(0);
  return {sum.hit / ways, sum.busiest / ways, sum.tiles_of_8 / ways};
}

TEST(UniformRouting, SixteenTokensReach82Of128Experts) {
  const RoutingLoad load = routing_load(random_choices(16, 128, 8));
  EXPECT_NEAR(load.experts_hit, 128 * (1 - std::pow(120.0 / 128, 16)), 1e-9);
  EXPECT_NEAR(load.experts_hit, 82.4, 0.05);
  EXPECT_EQ(load.pairs, 128);
  // Hardly any expert has more than eight of 16 tokens, so tiles are as many as experts.
  EXPECT_NEAR(load.row_tiles[0], load.experts_hit, 1e-3);
}

TEST(UniformRouting, IsTheMeanOverEveryWayToChoose) {
  for (const FusedMoe& op : {random_choices(3, 4, 2), random_choices(12, 3, 1), random_choices(9, 3, 2),
                             random_choices(10, 4, 3), random_choices(1, 6, 2)}) {
    const Means exact = enumerated(op);
    const RoutingLoad load = routing_load(op);
    EXPECT_NEAR(load.experts_hit, exact.hit, 1e-9) << op.tokens;
    EXPECT_NEAR(load.row_tiles[0], exact.tiles_of_8, 1e-9) << op.tokens;
    // Experts share the tokens, which the expected busiest leaves out of account.
    EXPECT_NEAR(load.busiest_pairs / exact.busiest, 1, 0.12) << op.tokens;
  }
}

TEST(UniformRouting, IsBalancedWhereEveryTokenTakesEveryExpert) {
  FusedMoe op = random_choices(77, 8, 8);
  const RoutingLoad load = routing_load(op);
  op.routing = RoutingKind::Balanced;
  const RoutingLoad even = routing_load(op);
  EXPECT_EQ(load.experts_hit, even.experts_hit);
  EXPECT_EQ(load.row_tiles, even.row_tiles);
  EXPECT_EQ(load.row_tiles_48, even.row_tiles_48);
  EXPECT_EQ(load.busiest_pairs, even.busiest_pairs);
}

// Tiles by a sum over counts below a deviation of the tile's rows, by a formula above it.
TEST(UniformRouting, SumAndFormulaMeet) {
  double before = routing_load(random_choices(999, 128, 8)).row_tiles[0];
  for (std::int64_t tokens = 1000; tokens < 1200; ++tokens) {  // a deviation of 7.7 to 8.4
    const double tiles = routing_load(random_choices(tokens, 128, 8)).row_tiles[0];
    EXPECT_NEAR(tiles - before, 1.0, 1e-5) << tokens;  // eight more pairs in all
    before = tiles;
  }
}

TEST(UniformRouting, HoldsForAsManyTokensAsThereAre) {
  const RoutingLoad load = routing_load(random_choices(2'000'000'000, 256, 8));
  EXPECT_NEAR(load.experts_hit, 256, 1e-9);
  EXPECT_NEAR(load.row_tiles[5] * 256 / load.pairs, 1, 1e-4);
  EXPECT_GT(load.busiest_pairs, load.pairs / 256);
}

TEST(UniformRouting, LargestOfNormalsIsThatOfTables) {
  EXPECT_NEAR(largest_of_normals(1), 0, 1e-9);
  EXPECT_NEAR(largest_of_normals(2), 1 / std::sqrt(3.14159265358979), 1e-5);
  EXPECT_NEAR(largest_of_normals(8), 1.42360, 1e-5);
  EXPECT_NEAR(largest_of_normals(100), 2.50759, 1e-5);
}

// Drawn by hand: the rank with most pairs, and how many of its experts have one.
TEST(UniformRouting, IsTheBusiestOfTheRanks) {
  constexpr int kDraws = 4000;
  RandomStream random(7, "uniform_routing");
  for (const std::int64_t tokens : {16, 64, 500}) {
    const FusedMoe op = random_choices(tokens, 64, 4, 8);
    double pairs = 0, hit = 0;
    std::vector<std::int64_t> order(64);
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<std::int64_t> counts(64, 0), of_rank(8, 0);
      std::iota(order.begin(), order.end(), 0);
      for (std::int64_t t = 0; t < tokens; ++t)
        for (std::size_t j = 0; j < 4; ++j) {
          std::swap(order[j], order[std::size_t(random.integer(std::int64_t(j), 63))]);
          ++counts[std::size_t(order[j])];
          ++of_rank[std::size_t(order[j] / 8)];
        }
      const auto busiest = std::max_element(of_rank.begin(), of_rank.end());
      pairs += double(*busiest) / kDraws;
      const auto first = counts.begin() + 8 * (busiest - of_rank.begin());
      hit += double(std::count_if(first, first + 8, [](std::int64_t count) { return count > 0; })) / kDraws;
    }
    const RoutingLoad load = routing_load(op);
    EXPECT_NEAR(load.pairs / pairs, 1, 0.03) << tokens;
    EXPECT_NEAR(load.experts_hit / hit, 1, 0.03) << tokens;
  }
}

RC_GTEST_PROP(UniformRouting, TilesHoldThePairsAndGrowWithTokens, ()) {
  FusedMoe op = random_choices(*rc::gen::inRange(1, 20000), 8 * *rc::gen::inRange(1, 64), 1);
  op.top_k = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(op.experts, 12) + 1);
  op.expert_parallel = *rc::gen::element(1, 2, 8);
  FusedMoe more = op;
  more.tokens += *rc::gen::inRange(1, 3000);
  const RoutingLoad load = routing_load(op), grown = routing_load(more);
  RC_ASSERT(load.experts_hit <= load.experts_held + 1e-9 && load.experts_hit > 0);
  RC_ASSERT(load.busiest_pairs <= double(op.tokens) + 1e-9);
  for (std::size_t i = 0; i < kRowBlocks.size(); ++i) {
    RC_ASSERT(load.row_tiles[i] * double(kRowBlocks[i]) >= load.pairs * (1 - 1e-9));
    RC_ASSERT(load.row_tiles[i] >= load.experts_hit * (1 - 1e-9));
    RC_ASSERT(grown.row_tiles[i] >= load.row_tiles[i] * (1 - 1e-9));
  }
}

TEST(UniformRouting, IsRememberedApartFromOtherRoutings) {
  const RoutingCache cache;
  FusedMoe op = random_choices(300, 64, 4);
  const double uniform = cache.find(op).row_tiles[1];
  op.routing = RoutingKind::PowerLaw;
  op.routing_alpha = 1.2;
  const double skewed = cache.find(op).row_tiles[1];
  EXPECT_NE(uniform, skewed);
  op.routing = RoutingKind::Uniform;
  op.routing_alpha = 0;
  EXPECT_EQ(cache.find(op).row_tiles[1], uniform);
  EXPECT_EQ(uniform, routing_load(op).row_tiles[1]);
}

// One launch's rows have the expectations' hit experts and tiles, to half an expert.
TEST(UniformRouting, RowsOfOneLaunchAreAsExpected) {
  for (const std::int64_t tokens : {1, 4, 24, 96, 700, 4096}) {
    const FusedMoe op = random_choices(tokens, 128, 8);
    const RoutingLoad load = uniform_load(op);
    const std::vector<std::int64_t> rows = uniform_rows(128, tokens, tokens * 8);
    EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}), tokens * 8);
    const auto hit = double(std::count_if(rows.begin(), rows.end(), [](auto one) { return one > 0; }));
    EXPECT_NEAR(hit, load.experts_hit, 1.0) << tokens;
    for (std::size_t i = 0; i < kRowBlocks.size(); ++i) {
      double tiles = 0;
      for (const std::int64_t one : rows) tiles += std::ceil(double(one) / double(kRowBlocks[i]));
      EXPECT_NEAR(tiles, load.row_tiles[i], 1.0 + 0.01 * load.row_tiles[i])
          << tokens << ", " << kRowBlocks[i];
    }
  }
  EXPECT_EQ(uniform_rows(4, 3, 12), (std::vector<std::int64_t>{3, 3, 3, 3}));
}

}  // namespace
}  // namespace warploom
