#include "warploom/steps/expert_tiles.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/steps/step_rules.h"

namespace warploom {
namespace {

constexpr FusedMoe kWide{.tokens = 1024,
                         .hidden = 2048,
                         .intermediate = 768,
                         .experts = 128,
                         .top_k = 8,
                         .routing = RoutingKind::Balanced};

std::optional<Seconds> tiles_of(const FusedMoe& op, Seconds weights = Seconds(0.0)) {
  static const GpuSpec gpu = GpuCatalog().get("h200_sxm");
  const StepRules& rules = StepRules::shipped();
  const RuleUse tiles = rules.find(RuleKind::ExpertTiles, gpu, {}),
                around = rules.find(RuleKind::Experts, gpu, {});
  return whole_expert_tiles(tiles.constants<ExpertTileConstants>(), around.constants<ExpertConstants>(), op,
                            gpu, weights);
}

TEST(ExpertTiles, TakeWhatTheirTwoProductsTookInAStep) {
  // 219.4 and 135.6 us measured, 35 us of the kernels around them.
  EXPECT_NEAR(tiles_of(kWide)->value(), 390e-6, 8e-6);
}

TEST(ExpertTiles, GrowByWavesOfWholeTiles) {
  FusedMoe full = kWide, over = kWide;
  full.tokens = 2048;  // 128 rows an expert
  over.tokens = 2064;  // one more
  const Seconds around = *tiles_of(full) - *tiles_of(kWide);
  EXPECT_GT(around, Seconds(0.0));
  EXPECT_LT(around, microseconds(60)) << "the same tiles, twice the rows to write";
  EXPECT_GT(*tiles_of(over), 1.5 * *tiles_of(full)) << "two tiles an expert";
}

TEST(ExpertTiles, AreNoFasterThanTheirWeightsStream) {
  const Seconds weights = milliseconds(1);
  EXPECT_GT(*tiles_of(kWide, weights), weights);
  EXPECT_LT(*tiles_of(kWide, weights), 1.1 * weights);
}

TEST(ExpertTiles, AreKnownOfManyRowsInOnePrecisionAlone) {
  FusedMoe few = kWide, fp8 = kWide, half = kWide;
  few.tokens = 1000;
  fp8.scheme = MatmulScheme::Fp8;
  half.pass = MoePass::Down;
  for (const FusedMoe& op : {few, fp8, half}) EXPECT_FALSE(tiles_of(op).has_value());
}

}  // namespace
}  // namespace warploom
