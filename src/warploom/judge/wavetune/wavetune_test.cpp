// The published wave model: its mapping, the least squares of a bucket, both tables and the decision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/random.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/judge/regret/tile_table.h"
#include "warploom/judge/wavetune/boundary_anchors.h"
#include "warploom/judge/wavetune/grid_loop.h"
#include "warploom/judge/wavetune/wavetune_table.h"

namespace warploom {
namespace {

constexpr TileConfig kTiles{128, 64, 32, 4, 3, 1};

GridLoop mapped(const TileKernel& kernel, const TileShape& shape, const TileConfig& config) {
  const MappingConstants constants(kernel, TileGpu{});
  return grid_and_loop(constants, ShapeTerms(constants, shape), MacroSizes(config));
}

TEST(GridLoop, CountsTilesAndSteps) {
  EXPECT_EQ(mapped({}, {300, 200, 100}, kTiles), (GridLoop{3 * 4, 4}));
  EXPECT_EQ(mapped({}, {256, 128, 96}, kTiles), (GridLoop{2 * 2, 3}));
  EXPECT_EQ(mapped({.batch = 7}, {300, 200, 100}, kTiles), (GridLoop{7 * 12, 4}));
  // Thirteen steps in parts of four: four, four, four and one.
  EXPECT_EQ(mapped({}, {128, 64, 13 * 32}, {128, 64, 32, 4, 3, 4}), (GridLoop{4, 4}));
  const TileKernel grouped{.kind = TileKernelKind::GroupedGemm, .experts = 8, .top_k = 2};
  EXPECT_EQ(mapped(grouped, {40, 65, 64}, kTiles), (GridLoop{8 * 2, 2}));
  EXPECT_EQ(mapped(grouped, {3, 64, 64}, kTiles), (GridLoop{3, 2}));
  const TileKernel attention{.kind = TileKernelKind::Attention};
  EXPECT_EQ(mapped(attention, {130, 1000, 64}, kTiles), (GridLoop{2 * 64, 16}));
  // Eight key heads whose eight query heads make one padded tile, sixteen sequences.
  const TileKernel decode{.kind = TileKernelKind::PagedDecode, .head_group = 8};
  EXPECT_EQ(mapped(decode, {16, 1000, 64}, kTiles), (GridLoop{16 * 8, 16}));
  EXPECT_EQ(mapped(decode, {16, 1000, 64}, {16, 64, 64, 4, 3, 4}), (GridLoop{16 * 8 * 4, 4}));
}

TEST(GridLoop, AddsTheTilesOfEachExpert) {
  TileKernel grouped{.kind = TileKernelKind::GroupedGemm, .experts = 4, .top_k = 2};
  const std::vector<std::int64_t> rows{129, 128, 1, 0};
  const MappingConstants constants(grouped, TileGpu{});
  const TileShape shape{258, 65, 64};
  EXPECT_EQ(grid_and_loop(constants, ShapeTerms(constants, shape, rows), MacroSizes(kTiles)),
            (GridLoop{(2 + 1 + 1) * 2, 2}));
  // Spread evenly the same pairs are four experts of 65 rows.
  EXPECT_EQ(mapped(grouped, shape, kTiles), (GridLoop{4 * 2, 2}));
  // A skew of 1 gives 100 pairs to 48, 24, 16 and 12 rows.
  grouped.expert_skew = 1;
  EXPECT_EQ(mapped(grouped, {100, 64, 64}, {16, 64, 32, 4, 3, 1}), (GridLoop{3 + 2 + 1 + 1, 2}));
}

TEST(GridLoop, AWaveIsFullAtItsLastTile) {
  EXPECT_EQ(waves_of(1, 1.0 / 132), 1);
  EXPECT_EQ(waves_of(132, 1.0 / 132), 1);
  EXPECT_EQ(waves_of(133, 1.0 / 132), 2);
  for (std::int64_t waves = 1; waves < 5000; ++waves) {
    EXPECT_EQ(waves_of(double(78 * waves), 1.0 / 78), waves);
    EXPECT_EQ(waves_of(double(78 * waves + 1), 1.0 / 78), waves + 1);
  }
}

TEST(BoundaryAnchors, LieAtTheEndsOfWaves) {
  const TileGpu gpu;
  for (const TileKernel& kernel :
       {TileKernel{}, TileKernel{.kind = TileKernelKind::GroupedGemm, .experts = 8, .top_k = 2},
        TileKernel{.kind = TileKernelKind::GroupedGemm, .experts = 8, .top_k = 2, .expert_skew = 1.2},
        TileKernel{.kind = TileKernelKind::Attention, .head_group = 2},
        TileKernel{.kind = TileKernelKind::PagedDecode, .head_group = 8}, TileKernel{.batch = 3}}) {
    const std::vector<AnchorRow> rows = plan_boundary_anchors(kernel, gpu, {kTiles, {64, 64, 64, 4, 3, 1}});
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    std::map<std::int64_t, std::set<double>> grids, loops;
    for (const AnchorRow& row : rows) {
      const GridLoop at = mapped(kernel, row.shape, row.config);
      const std::int64_t waves = waves_of(at.grid, 1.0 / double(gpu.sms));
      grids[waves].insert(at.grid);
      loops[waves].insert(at.loop);
    }
    for (const std::int64_t waves : {1, 2, 3, 4, 6, 10}) {
      ASSERT_TRUE(grids.contains(waves)) << waves;
      const double first = double((waves - 1) * gpu.sms + 1), last = double(waves * gpu.sms);
      EXPECT_GE(grids[waves].size(), 2U) << waves;
      EXPECT_GE(*grids[waves].rbegin(), last - 16) << waves;
      EXPECT_LE(*grids[waves].begin(), waves == 1 ? 48 : first + 16) << waves;
      EXPECT_EQ(loops[waves].size(), 4U);
    }
    EXPECT_EQ(grids.size(), 6U);
  }
  EXPECT_THROW(plan_boundary_anchors({}, gpu, {}), InvalidInput);
}

const std::vector<GridLoop> kFourPlaces{{133, 4}, {133, 64}, {264, 4}, {264, 64}, {200, 16}};

std::vector<double> times_at(const BilinearTime& time, const std::vector<GridLoop>& at) {
  std::vector<double> us;
  for (const GridLoop& point : at) us.push_back(time.at(point.grid, point.loop));
  return us;
}

TEST(BucketFit, RecoversTheCoefficientsOfItsFormula) {
  const BilinearTime known{.a = 0.003, .b = 0.02, .c = 0.4, .d = 2.5};
  for (const FitErrors errors : {FitErrors::Microseconds, FitErrors::Shares}) {
    const WaveBucket bucket = fit_bucket(kFourPlaces, times_at(known, kFourPlaces), errors);
    EXPECT_NEAR(bucket.time.a, known.a, 1e-9);
    EXPECT_NEAR(bucket.time.b, known.b, 1e-7);
    EXPECT_NEAR(bucket.time.c, known.c, 1e-7);
    EXPECT_NEAR(bucket.time.d, known.d, 1e-5);
    EXPECT_NEAR(bucket.r_squared, 1, 1e-9);
    EXPECT_EQ(bucket.anchors, 5U);
  }
}

TEST(BucketFit, DropsWhatWouldBeNegativeAndFitsTheRestAgain) {
  // Times of a negative launch: the best answer without one has d = 0 and smaller others.
  std::vector<double> us = times_at({.a = 0.003, .b = 0.02, .c = 0.1, .d = -1}, kFourPlaces);
  const BilinearTime time = fit_bucket(kFourPlaces, us).time;
  EXPECT_EQ(time.d, 0);
  EXPECT_NEAR(time.a, 0.003, 3e-4);
  for (const double one : {time.a, time.b, time.c}) EXPECT_GE(one, 0);
}

TEST(BucketFit, UsesTheTermsThatItsPointsTellApart) {
  const std::vector<GridLoop> one_grid{{396, 4}, {396, 16}, {396, 64}};
  const BilinearTime time = fit_bucket(one_grid, std::vector<double>{14, 50, 194}).time;
  EXPECT_NEAR(time.a, 3.0 / 396, 1e-9);
  EXPECT_NEAR(time.d, 2, 1e-6);
  EXPECT_EQ(time.b, 0);
  EXPECT_EQ(time.c, 0);
  const BilinearTime point = fit_bucket(std::vector<GridLoop>{{132, 8}}, std::vector<double>{10.56}).time;
  EXPECT_NEAR(point.a, 0.01, 1e-12);
  EXPECT_THROW(fit_bucket({}, {}), InvalidInput);
}

// Timings of two macro configurations with two micro configurations each: four stages are best at short
// loops, two at long ones. Grids at both ends of the first two waves and the end of the third, of sixth.
double made_up_us(const TileConfig& config, const GridLoop& at) {
  const bool small = config.tile_m == 64;
  const double waves = double(waves_of(at.grid, 1.0 / 132));
  const double us =
      (small ? 0.001 : 0.0015) * at.grid * at.loop + 0.3 * waves + (small ? 0.2 : 0.1) * at.loop + 3;
  const bool right = (at.loop < 30) == (config.stages == 4);
  return right ? us : 1.2 * us;
}

std::vector<TileSample> made_up_samples() {
  std::vector<TileSample> samples;
  for (const std::int32_t tile_m : {64, 128})
    for (const std::int32_t stages : {2, 4})
      for (const auto& [rows, columns] : {std::pair{6, 6}, {11, 12}, {12, 12}, {16, 16}, {18, 22}, {24, 33}})
        for (const std::int64_t loop : {4, 16, 64, 128}) {
          const TileConfig config{tile_m, 128, 64, 4, stages, 1};
          const TileShape shape{rows * tile_m, columns * 128, loop * 64};
          samples.push_back({config, shape, made_up_us(config, {double(rows * columns), double(loop)})});
        }
  return samples;
}

TEST(WaveTuneFit, KeepsBothTables) {
  const WaveTuneModel model = fit_wavetune({}, {}, made_up_samples());
  ASSERT_EQ(model.macros.size(), 2U);
  EXPECT_EQ(model.samples, 96U);
  EXPECT_EQ(model.anchors, 96U);
  EXPECT_GT(model.median_r_squared, 0.999);
  const std::vector<WaveBucket>& buckets = model.macros[1].buckets;
  ASSERT_EQ(buckets.size(), 4U);
  EXPECT_EQ(buckets[0].waves, 1);
  EXPECT_EQ(buckets[1].waves, 2);
  EXPECT_EQ(buckets[2].waves, 3);
  EXPECT_EQ(buckets[3].waves, 6);
  // Two grids and four loops in the second wave, exact times: a is what a step of a tile was made to take.
  EXPECT_NEAR(buckets[1].time.a, 0.0015, 1e-6);
  EXPECT_NEAR(buckets[1].time.c, 0.1, 1e-4);
  ASSERT_EQ(buckets[1].loops.size(), 4U);
  EXPECT_EQ(buckets[1].loops[0].stages, 4);
  EXPECT_EQ(buckets[1].loops[3].stages, 2);
}

// The whole decision by hand: every macro configuration, its bucket, the nearest loop anchor.
TilePick by_hand(const WaveTuneModel& model, const TileShape& shape) {
  TilePick best;
  double least = 1e300;
  for (const MacroTimes& macro : model.macros) {
    const GridLoop at = mapped(model.kernel, shape, macro.tiles);
    const auto waves = std::int64_t(std::ceil(at.grid / double(model.gpu.sms)));
    const WaveBucket* bucket = nullptr;
    for (const WaveBucket& one : macro.buckets)
      if (bucket == nullptr || std::abs(one.waves - waves) < std::abs(bucket->waves - waves)) bucket = &one;
    const double us = bucket->time.a * at.grid * at.loop + bucket->time.b * at.grid +
                      bucket->time.c * at.loop + bucket->time.d;
    if (us >= least) continue;
    least = us;
    const LoopAnchor* micro = &bucket->loops.front();
    for (const LoopAnchor& one : bucket->loops)
      if (std::abs(std::log(one.loop / at.loop)) < std::abs(std::log(micro->loop / at.loop)) - 1e-9)
        micro = &one;
    best.config = macro.tiles;
    best.config.warps = micro->warps;
    best.config.stages = micro->stages;
    best.predicted_us = float(us);
  }
  return best;
}

TEST(WaveTuneTable, PicksTheModelsLeastTime) {
  const WaveTuneModel model = fit_wavetune({}, {}, made_up_samples());
  const WaveTuneTable table(model);
  RandomStream draw(7, "wavetune test");
  for (int i = 0; i < 2000; ++i) {
    const TileShape shape{std::int64_t(std::exp2(draw.uniform(0, 14))),
                          std::int64_t(std::exp2(draw.uniform(5, 14))),
                          std::int64_t(std::exp2(draw.uniform(5, 14)))};
    const TilePick pick = table.pick(shape), wanted = by_hand(model, shape);
    EXPECT_EQ(pick.config, wanted.config) << shape.m << " " << shape.n << " " << shape.k;
    EXPECT_FLOAT_EQ(pick.predicted_us, wanted.predicted_us);
    EXPECT_EQ(table.best(shape, 2).front().config, pick.config);
  }
}

TEST(WaveTuneTable, GoesOnBeyondTheSampledWaves) {
  const WaveTuneTable table(fit_wavetune({}, {}, made_up_samples()));
  const TileShape inside{24 * 128, 33 * 128, 4096}, beyond{48 * 128, 66 * 128, 4096},
      between{22 * 128, 24 * 128, 4096};
  const auto extrapolated = [&](const TileShape& shape) {
    return table.extrapolated(shape, table.pick(shape));
  };
  EXPECT_TRUE(extrapolated(beyond));
  // Four times the tiles take nearly four times as long.
  EXPECT_NEAR(table.pick(beyond).predicted_us / table.pick(inside).predicted_us, 4, 0.5);
  for (const TilePick& pick : table.best(between, 2))
    EXPECT_TRUE(table.extrapolated(between, pick));   // four waves, and eight of 64 rows
  const TileShape sampled{12 * 128, 33 * 128, 4096};  // three waves, and six
  for (const TilePick& pick : table.best(sampled, 2)) EXPECT_FALSE(table.extrapolated(sampled, pick));
  EXPECT_FALSE(table.extrapolated({1, 64, 64}, table.pick({1, 64, 64})));
}

TEST(WaveTuneTable, AnswersShapesOutOfRangeWithTheDefault) {
  const TileConfig fallback{128, 128, 64, 4, 4, 1};
  const WaveTuneTable table(fit_wavetune({}, {}, made_up_samples(), &fallback));
  for (const TileShape& shape :
       {TileShape{0, 1, 1}, TileShape{1, -5, 1}, TileShape{1, 1, std::int64_t{1} << 31}}) {
    EXPECT_EQ(table.pick(shape).config, fallback);
    EXPECT_EQ(table.pick(shape).predicted_us, 0);
  }
}

TEST(WaveTuneFit, PassesOverAnchorsThatShareLittle) {
  std::vector<TileSample> samples = made_up_samples();
  const std::size_t square = samples.size();
  // One row of tiles, ten times as slow: G and L are those of squarer grids.
  for (const std::int64_t loop : {4, 64})
    samples.push_back({{128, 128, 64, 4, 2, 1}, {128, 200 * 128, loop * 64}, 9999});
  const WaveTuneModel model = fit_wavetune({}, {}, samples);
  EXPECT_EQ(model.samples, square + 2);
  EXPECT_EQ(model.anchors, square);
  EXPECT_NEAR(model.macros[1].buckets[1].time.a, 0.0015, 1e-6);
}

TEST(WaveTuneFit, RefusesWhatCannotBeFitted) {
  const std::vector<TileSample> all = made_up_samples();
  EXPECT_THROW(fit_wavetune({}, {}, {}), InvalidInput);
  // Three anchors of each macro configuration.
  std::vector<TileSample> few;
  for (const TileSample& sample : all)
    if (sample.shape.n == 12 * 128 && sample.shape.k > 4 * 64) few.push_back(sample);
  try {
    (void)fit_wavetune({}, {}, std::vector<TileSample>(few.begin(), few.begin() + 3));
    ADD_FAILURE() << "three anchors were enough";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("4 anchors"), std::string::npos) << error.what();
  }
  std::vector<TileSample> one_wave;
  for (const TileSample& sample : all)
    if (sample.shape.n <= 12 * 128 && sample.shape.m < 12 * 64) one_wave.push_back(sample);
  EXPECT_THROW(fit_wavetune({}, {}, one_wave), InvalidInput);
  const TileConfig unknown{32, 32, 32, 4, 2, 1};
  EXPECT_THROW(fit_wavetune({}, {}, all, &unknown), InvalidInput);
}

TEST(WaveTuneFile, ReadsWhatItWrites) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "table.json", again = scratch.path() / "again.json";
  const WaveTuneTable table(fit_wavetune({.name = "mine"}, {.name = "h200_sxm"}, made_up_samples()));
  table.write(path);
  const WaveTuneTable read = WaveTuneTable::open(path);
  read.write(again);
  EXPECT_EQ(read_file(path), read_file(again));
  for (const std::int64_t m : {1, 100, 5000}) {
    EXPECT_EQ(read.pick({m, 4096, 4096}).config, table.pick({m, 4096, 4096}).config);
    EXPECT_EQ(read.pick({m, 4096, 4096}).predicted_us, table.pick({m, 4096, 4096}).predicted_us);
  }
  const TileTable either = open_tile_table(path);
  EXPECT_EQ(kernel_of(either).name, "mine");
  EXPECT_EQ(pick_of(either, {100, 4096, 4096}).config, table.pick({100, 4096, 4096}).config);
  EXPECT_NO_THROW(require(either, "h200_sxm", "mine"));
  EXPECT_THROW(require(either, "h100_sxm", ""), InvalidInput);
  EXPECT_THROW(require(either, "", "other"), InvalidInput);
}

TEST(WaveTuneFile, RefusesDamagedTables) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "table.json";
  WaveTuneTable(fit_wavetune({}, {}, made_up_samples())).write(path);
  const Json whole = read_json_file(path);
  const auto refused = [&](auto change) {
    Json changed = whole;
    change(changed);
    EXPECT_THROW((void)WaveTuneTable::from_json(changed, "here"), Error) << changed.dump().substr(0, 200);
  };
  refused([](Json& table) { table["schema"] = "other"; });
  refused([](Json& table) { table.erase("version"); });
  refused([](Json& table) { table["version"] = kWaveTuneTableVersion + 1; });
  refused([](Json& table) { table.erase("gpu"); });
  refused([](Json& table) { table["gpu"]["sms"] = 0; });
  refused([](Json& table) { table["kernel"]["kind"] = "gem"; });
  refused([](Json& table) { table["default_config"] = "128"; });
  refused([](Json& table) { table["macros"] = Json::array(); });
  refused([](Json& table) { table["macros"][0]["tile_m"] = 0; });
  refused([](Json& table) { table["macros"][0]["buckets"] = Json::array(); });
  refused([](Json& table) { table["macros"][0]["buckets"][0]["a_us"] = -1; });
  refused([](Json& table) { table["macros"][0]["buckets"][0]["loops"] = Json::array(); });
  refused([](Json& table) { table["macros"][0]["buckets"][1]["waves"] = 1; });
  refused([](Json& table) { table["macros"][0]["buckets"][0]["extra"] = 1; });
  refused([](Json& table) { table = Json::array(); });
}

}  // namespace
}  // namespace warploom
