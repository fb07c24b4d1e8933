#include "warploom/kernels/tile_ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

const GpuSpec& h200() {
  static const GpuCatalog catalog;
  return catalog.get("h200_sxm");
}

std::size_t cost_index(std::string_view name) {
  return std::size_t(std::find(kTileCostNames.begin(), kTileCostNames.end(), name) - kTileCostNames.begin());
}

TEST(TileTerms, CountWavesAndStepsAsTheLibraryDoes) {
  // cublasLt 13.1 says 0.969697 waves of this choice on 132 SMs.
  const TileProblem p = *tile_problem({.m = 248, .n = 3072, .k = 8832}, h200());
  const LibraryTile tile{.tile_m = 64, .tile_n = 96};
  EXPECT_NEAR(p.waves(tile), 0.969697, 1e-6);
  EXPECT_EQ(p.steps(), 138);
  const TileTerms terms = tile_terms(p, tile);
  EXPECT_FLOAT_EQ(terms.cost[cost_index("round_steps")], 138);
  EXPECT_FLOAT_EQ(terms.cost[cost_index("round_rows")], 138 * 64);
  // 4,096 FLOP a clock: 64 x 96 x 64 x 2 of them take 192 clocks.
  EXPECT_FLOAT_EQ(terms.cost[cost_index("round_products")], 138 * 192);
  EXPECT_FLOAT_EQ(terms.cost[cost_index("split")], 0);
  const TileTerms parts = tile_terms(p, {.tile_m = 64, .tile_n = 96, .splits = 3});
  EXPECT_FLOAT_EQ(parts.cost[cost_index("round_steps")], 3 * 46);  // three waves of a third
  EXPECT_FLOAT_EQ(parts.cost[cost_index("split")], 1);
}

TEST(TileTerms, OfEightBitOperandsAreThoseOfTwiceTheDepth) {
  // A step is 128 bytes and fp8 runs at twice the rate: equal clocks for twice the inner length.
  const TileProblem half = *tile_problem({.m = 512, .n = 4096, .k = 2048}, h200());
  const TileProblem fp8 =
      *tile_problem({.scheme = MatmulScheme::Fp8Static, .m = 512, .n = 4096, .k = 4096}, h200());
  const LibraryTile tile{.tile_m = 128, .tile_n = 192};
  const TileTerms a = tile_terms(half, tile), b = tile_terms(fp8, tile);
  for (const char* name : {"round_products", "round_rows", "round_steps", "work_steps", "prologue"})
    EXPECT_FLOAT_EQ(a.cost[cost_index(name)], b.cost[cost_index(name)]) << name;
}

TEST(TileCandidates, AreEachOnceAndLeaveWholePartsOfTheInnerLength) {
  for (const MatmulScheme scheme :
       {MatmulScheme::Bf16, MatmulScheme::Fp8Static, MatmulScheme::Fp8Block, MatmulScheme::Int8}) {
    const TileProblem p = *tile_problem({.scheme = scheme, .m = 300, .n = 2000, .k = 8192}, h200());
    std::vector<LibraryTile> tiles;
    add_tile_candidates(p, tiles);
    ASSERT_FALSE(tiles.empty());
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      EXPECT_LE(tiles[i].tile_m * tiles[i].tile_n, 40960);
      EXPECT_TRUE(tiles[i].tile_m % 64 == 0 || tiles[i].tile_n % 64 == 0);
      EXPECT_TRUE(tiles[i].splits == 1 || p.steps() / double(tiles[i].splits) >= 20);
      EXPECT_EQ(std::count(tiles.begin(), tiles.end(), tiles[i]), 1);
    }
  }
}

TEST(TileCandidates, OfFewRowsAreLow) {
  std::vector<LibraryTile> tiles;
  add_tile_candidates(*tile_problem({.m = 3, .n = 4096, .k = 4096}, h200()), tiles);
  for (const LibraryTile& tile : tiles) EXPECT_TRUE(tile.tile_m == 8 || tile.tile_m == 64) << tile.tile_m;
}

TEST(TileRanking, ChancesAddUpToOneAndFall) {
  const TileProblem p = *tile_problem({.m = 512, .n = 6144, .k = 4096}, h200());
  const std::vector<RankedTile> all = TileRanking::cublas().rank(p, 100000);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += all[i].chance;
    EXPECT_LE(all[i].chance, i > 0 ? all[i - 1].chance : 1);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(TileRanking::cublas().rank(p).front().tile, all.front().tile);
}

// The first twenty products that were timed on an H200, so none was learned from, and what cublasLt 13.1 ran.
struct Recorded {
  Gemm op;
  LibraryTile tile;
};
const std::vector<Recorded>& recorded() {
  static const std::vector<Recorded> rows{
      {{.scheme = MatmulScheme::Bf16, .m = 248, .n = 3072, .k = 8832}, {64, 96, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 4983, .n = 1536, .k = 4096}, {232, 128, 1}},
      {{.scheme = MatmulScheme::Fp8Static, .m = 56, .n = 4832, .k = 384}, {64, 48, 1}},
      {{.scheme = MatmulScheme::Fp8Static, .m = 512, .n = 37888, .k = 3584}, {128, 192, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 2, .n = 512, .k = 192}, {64, 8, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 128, .n = 6144, .k = 1536}, {64, 96, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 4287, .n = 9728, .k = 13440}, {160, 256, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 32, .n = 2560, .k = 5120}, {32, 64, 3}},
      {{.scheme = MatmulScheme::Fp8Static, .m = 16, .n = 47040, .k = 256}, {16, 512, 1}},
      {{.scheme = MatmulScheme::Fp8Static, .m = 256, .n = 4096, .k = 3072}, {64, 128, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 547, .n = 35056, .k = 23600}, {192, 160, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 1456, .n = 128256, .k = 4096}, {208, 192, 1}},
      {{.scheme = MatmulScheme::Fp8Static, .m = 1945, .n = 50432, .k = 256}, {248, 128, 1}},
      {{.scheme = MatmulScheme::Fp8Static, .m = 4096, .n = 9216, .k = 16384}, {192, 192, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 1272, .n = 3840, .k = 31040}, {160, 256, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 504, .n = 5120, .k = 1024}, {168, 128, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 1024, .n = 3616, .k = 384}, {128, 112, 1}},
      {{.scheme = MatmulScheme::Bf16, .m = 2, .n = 10240, .k = 8192}, {8, 512, 5}},
      {{.scheme = MatmulScheme::Fp8Static, .m = 8, .n = 384, .k = 192}, {64, 8, 1}},
      {{.scheme = MatmulScheme::Fp8Static, .m = 616, .n = 32064, .k = 4096}, {208, 192, 1}},
  };
  return rows;
}

// Nine of them; over all judged products it is 57 % (decision 0036), of nearest neighbours 23 %.
TEST(TileRanking, NamesTilesOfTheLibrary) {
  int tiles = 0, waves = 0;
  for (const Recorded& row : recorded()) {
    const RankedTile best = *cublas_tile(row.op, h200(), "cublaslt");
    tiles += best.tile == row.tile;
    waves += std::ceil(best.waves) == std::ceil(tile_problem(row.op, h200())->waves(row.tile));
  }
  EXPECT_GE(tiles, 9);
  EXPECT_GE(waves, 15);
}

TEST(TileRanking, KeepsTheScoresAfterWritingAndReading) {
  const TileRanking& shipped = TileRanking::cublas();
  const TileRanking copy = TileRanking::from_json(parse_json(json_text(shipped.to_json()), "copy"), "copy");
  for (const auto& [family, name] : EnumNames<TileFamily>::kNames) {
    EXPECT_EQ(copy[family].cost, shipped[family].cost) << name;
    EXPECT_EQ(copy[family].taste, shipped[family].taste) << name;
    EXPECT_EQ(copy[family].sharpness, shipped[family].sharpness) << name;
  }
}

TEST(TileRanking, RefusesDamagedDocuments) {
  const Json sound = TileRanking::cublas().to_json();
  const auto refused = [](const Json& document) {
    try {
      TileRanking::from_json(document, "mine.json");
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  Json other = sound;
  other["version"] = 2;
  EXPECT_NE(refused(other).find("mine.json: version 2, this program reads 1"), std::string::npos);
  other = sound;
  other["families"].erase("fp8");
  EXPECT_NE(refused(other).find("'fp8'"), std::string::npos);
  other = sound;
  other["families"]["half"]["cost"]["memory"] = -1;
  EXPECT_NE(refused(other).find("'memory' is -1"), std::string::npos);
  other = sound;
  other["families"]["half"]["taste"]["tall"] = "much";
  EXPECT_NE(refused(other).find("'tall' is no finite number"), std::string::npos);
  EXPECT_NE(refused(Json::array()), "accepted");
}

TEST(CublasTile, IsKnownWhereCublasServes) {
  const GpuCatalog catalog;
  const Gemm half{.m = 64, .n = 4096, .k = 4096};
  const Gemm fp8{.scheme = MatmulScheme::Fp8Static, .m = 64, .n = 4096, .k = 4096};
  EXPECT_TRUE(cublas_tile(half, h200(), "torch.nn.functional.linear"));
  EXPECT_FALSE(cublas_tile(half, h200(), "deepgemm"));
  EXPECT_FALSE(cublas_tile(fp8, h200()));
  EXPECT_TRUE(cublas_tile(fp8, h200(), "cublaslt"));
  EXPECT_FALSE(cublas_tile(half, catalog.get("a100_sxm")));
  EXPECT_FALSE(
      cublas_tile({.scheme = MatmulScheme::NvFp4, .m = 64, .n = 4096, .k = 4096}, h200(), "cublaslt"));
}

}  // namespace
}  // namespace warploom
