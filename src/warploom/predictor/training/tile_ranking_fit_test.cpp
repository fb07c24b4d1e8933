#include "warploom/predictor/training/tile_ranking_fit.h"

#include <gtest/gtest.h>

#include "warploom/base/hash.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

// A library that takes what costs least by constants of its own.
TileRanking made_up_library() {
  TileRanking library;
  TileConstants& c = library[TileFamily::Half];
  c.sharpness = 200;
  c.cost[0] = 0.9;
  c.cost[3] = 90;
  c.cost[8] = 3000;
  c.taste[1] = 6;
  return library;
}

std::vector<ChosenTile> choices(const TileRanking& library, std::size_t count, std::int64_t sms,
                                unsigned seed) {
  const GpuCatalog catalog;
  std::vector<ChosenTile> result;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto draw = [&](std::uint64_t what, std::int64_t most) {
      return std::int64_t(hash_combine(hash_combine(seed, i), what) % std::uint64_t(most)) + 1;
    };
    const Gemm op{.m = 32 * draw(1, 60), .n = 64 * draw(2, 120), .k = 128 * draw(3, 60)};
    const TileProblem problem = *tile_problem(op, catalog.get("h200_sxm"), sms);
    result.push_back({problem, library.rank(problem).front().tile});
  }
  return result;
}

double agreement(const TileRanking& ranking, const std::vector<ChosenTile>& judged) {
  std::size_t same = 0;
  for (const ChosenTile& choice : judged) same += ranking.rank(choice.problem).front().tile == choice.tile;
  return double(same) / double(judged.size());
}

TEST(TileRankingFit, FindsTheRuleOfALibraryOnNewShapesAndSms) {
  const TileRanking library = made_up_library();
  TileRanking learned;
  const std::vector<ChosenTile> judged = choices(library, 150, 132, 7), fewer = choices(library, 150, 60, 8);
  const double before = agreement(learned, judged);
  learned[TileFamily::Half] = fit_tile_constants(choices(library, 250, 132, 6));
  EXPECT_LT(before, 0.6);
  EXPECT_GT(agreement(learned, judged), 0.85);
  EXPECT_GT(agreement(learned, fewer), 0.75);
}

TEST(TileRankingFit, GivesEqualConstantsForEqualChoices) {
  const std::vector<ChosenTile> taught = choices(made_up_library(), 40, 132, 5);
  const TileConstants a = fit_tile_constants(taught, {.most_steps = 10});
  const TileConstants b = fit_tile_constants(taught, {.most_steps = 10});
  EXPECT_EQ(a.cost, b.cost);
  EXPECT_EQ(a.taste, b.taste);
}

TEST(TileRankingFit, KeepsTypicalConstantsWithoutChoicesAmongTheCandidates) {
  const GpuCatalog catalog;
  const TileProblem problem = *tile_problem({.m = 64, .n = 64, .k = 64}, catalog.get("h200_sxm"));
  const ChosenTile odd{problem, {.tile_m = 7, .tile_n = 9}};
  EXPECT_EQ(fit_tile_constants({}).cost, TileConstants::typical_costs());
  EXPECT_EQ(fit_tile_constants(std::span(&odd, 1)).cost, TileConstants::typical_costs());
}

}  // namespace
}  // namespace warploom
