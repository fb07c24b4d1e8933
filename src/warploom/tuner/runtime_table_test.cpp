#include "warploom/tuner/runtime_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/random.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/tuner/internal/table_layout.h"
#include "warploom/tuner/time_correction.h"
#include "warploom/tuner/two_tiles_test.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {
namespace {

// Fitted and built once, as the others below: with sanitizers each takes seconds.
const WaveModel& small_model() {
  static const WaveModel model = fit_wave_model({}, {.name = "h200_sxm"}, two_tile_samples());
  return model;
}
const RuntimeTable& small_table() {
  static const RuntimeTable table = RuntimeTable::build(small_model());
  return table;
}

const RuntimeTable& table_with_small_default() {
  static const RuntimeTable table = RuntimeTable::build(small_model(), {.default_config = kSmallTile});
  return table;
}

TEST(WaveFit, FindsTheFormulaItsSamplesFollow) {
  const WaveModel& model = small_model();
  ASSERT_EQ(model.configs.size(), 2U);
  EXPECT_GT(model.median_r_squared, 0.999);
  for (const FittedConfig& fitted : model.configs) {
    EXPECT_LT(fitted.residual, 0.02F);
    const TileShape unseen{1000, 3000, 5000};
    const double time = two_tile_time(unseen, fitted.config);
    EXPECT_NEAR(predict_us(model, fitted.config == kSmallTile ? 0 : 1, unseen), time, 0.1 * time);
  }
}

// Its checksum is right: whoever wrote it did not fit it.
TEST(RuntimeTable, RefusesConstantsThatNoFitWrote) {
  const auto refusal_of = [](std::size_t at, auto value) {
    std::string bytes(small_table().bytes());
    TableHeader header;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::memcpy(bytes.data() + header.configs_at + at, &value, sizeof value);
    constexpr std::size_t kChecked = offsetof(TableHeader, checksum) + sizeof header.checksum;
    header.checksum = hash_bytes(std::string_view(bytes).substr(kChecked));
    std::memcpy(bytes.data(), &header, sizeof header);
    try {
      RuntimeTable::from_bytes(bytes, "t.wlt");
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string("was read");
  };
  const std::string expected = "t.wlt: a configuration of the tune table has constants that are not its own";
  constexpr std::size_t kConstants = offsetof(ConfigRecord, constants);
  EXPECT_EQ(refusal_of(offsetof(ConfigRecord, residual), 0.1F), "was read");
  EXPECT_EQ(refusal_of(kConstants + offsetof(ConfigConstants, per_m), 1e22), expected);
  EXPECT_EQ(refusal_of(kConstants + offsetof(ConfigConstants, per_k), -1.0), expected);
  EXPECT_EQ(refusal_of(kConstants + offsetof(ConfigConstants, tile_n), 3.0F), expected);
  EXPECT_EQ(refusal_of(offsetof(ConfigRecord, config) + offsetof(TileConfig, tile_k), 0), expected);
  EXPECT_EQ(refusal_of(offsetof(ConfigRecord, coefficients), std::nanf("")), expected);
  constexpr std::size_t kSlots =
      offsetof(ConfigRecord, coefficients) + offsetof(WaveCoefficients<float>, slots);
  EXPECT_EQ(refusal_of(kSlots, 1e-27F), expected);
  EXPECT_EQ(refusal_of(kSlots, 0.0F), expected);
}

TEST(WaveFit, RefusesSamplesOfASingleWave) {
  std::vector<TileSample> samples;
  for (const TileSample& sample : two_tile_samples()) {
    if (tile_work({}, {}, sample.shape, sample.config).waves <= 1) samples.push_back(sample);
  }
  EXPECT_THROW(fit_wave_model({}, {}, samples), InvalidInput);
}

TEST(WaveFit, RefusesTooFewSamples) {
  std::vector<TileSample> samples = two_tile_samples();
  samples.resize(3);
  samples.push_back({kLargeTile, {4096, 4096, 4096}, 200});
  EXPECT_THROW(fit_wave_model({}, {}, samples), InvalidInput);
  EXPECT_THROW(fit_wave_model({}, {}, {}), InvalidInput);
}

TEST(WaveFit, BoundsItsErrorMoreWidelyBeyondTheSamples) {
  const FittedConfig fitted{.residual = 0.03F, .most_waves = 10, .most_iterations = 128};
  EXPECT_DOUBLE_EQ(error_bound(fitted, 5, 64), error_bound(fitted, 10, 128));
  EXPECT_GT(error_bound(fitted, 40, 128), error_bound(fitted, 20, 128));
  EXPECT_GT(error_bound(fitted, 10, 512), error_bound(fitted, 10, 128));
  const RuntimeTable& table = small_table();
  const TileShape near{4096, 4096, 4096}, far{1'000'000, 4096, 4096};
  EXPECT_GT(table.error_bound(near, table.pick(near)), 0);
  EXPECT_GT(table.error_bound(far, table.pick(far)), table.error_bound(near, table.pick(near)));
}

TEST(RuntimeTable, PicksByTheRowsOfEachExpert) {
  WaveModel model = small_model();
  model.kernel = {.kind = TileKernelKind::GroupedGemm, .experts = 4, .top_k = 2};
  const RuntimeTable table = RuntimeTable::build(model);
  const std::vector<std::int64_t> even{64, 64, 64, 64}, one{256, 0, -3, 0}, none{0, 0, 0, 0};
  const TilePick usual = table.pick({256, 4096, 4096}), spread = table.pick(even, 4096, 4096),
                 single = table.pick(one, 4096, 4096);
  EXPECT_EQ(spread.config, usual.config);
  EXPECT_NEAR(spread.predicted_us, usual.predicted_us, 1e-4F * usual.predicted_us);
  // One expert's operand in place of four; three experts with hardly a row need a tile row each.
  EXPECT_LT(single.predicted_us, usual.predicted_us);
  EXPECT_GT(table.pick(std::vector<std::int64_t>{250, 2, 2, 2}, 4096, 4096).predicted_us, usual.predicted_us);
  for (const TilePick& pick :
       {table.pick(none, 4096, 4096), table.pick({}, 4096, 4096), small_table().pick(even, 4096, 4096)}) {
    EXPECT_TRUE(pick.is_default);
    EXPECT_EQ(pick.predicted_us, 0);
  }
  // A table built with that skew gives 256 pairs to 255, 1, 0 and 0 rows and lists candidates for them.
  model.kernel.expert_skew = 8;
  const float skewed = RuntimeTable::build(model).pick({256, 4096, 4096}).predicted_us;
  EXPECT_LT(skewed, table.pick(std::vector<std::int64_t>{255, 1, 0, 0}, 4096, 4096).predicted_us);
}

TEST(RuntimeTable, PicksTheConfigurationThatIsFaster) {
  const RuntimeTable& table = small_table();
  for (const TileShape shape :
       {TileShape{64, 512, 4096}, TileShape{4096, 4096, 4096}, TileShape{300, 900, 700}}) {
    const TileConfig best =
        two_tile_time(shape, kSmallTile) < two_tile_time(shape, kLargeTile) ? kSmallTile : kLargeTile;
    const double apart =
        std::abs(std::log(two_tile_time(shape, kSmallTile) / two_tile_time(shape, kLargeTile)));
    if (apart > 0.1) {
      EXPECT_EQ(config_text(table.pick(shape).config), config_text(best));
    }
  }
}

TEST(RuntimeTable, GivesTheDefaultForShapesOutOfRange) {
  const RuntimeTable& table = small_table();
  const std::int64_t end = std::int64_t{1} << 31;
  for (const TileShape shape : {TileShape{0, 64, 64}, TileShape{64, -1, 64}, TileShape{64, 64, end}}) {
    const TilePick pick = table.pick(shape);
    EXPECT_EQ(pick.config, table.default_config());
    EXPECT_TRUE(pick.is_default);
    EXPECT_EQ(pick.predicted_us, 0.0F);
  }
  EXPECT_GT(table.pick({end - 1, end - 1, end - 1}).predicted_us, 0.0F);
}

// Knows that one configuration is 1.6 times slower than the formula says.
class SlowerThanItLooks final : public TimeCorrection {
 public:
  void log_ratios(const TileKernel&, std::span<const CorrectionQuery> queries,
                  std::span<float> out) const override {
    for (std::size_t i = 0; i < queries.size(); ++i)
      out[i] = queries[i].config->config == kLargeTile ? std::log(1.6F) : 0.0F;
  }
};

TEST(RuntimeTable, FollowsWhatACorrectionKnows) {
  const WaveModel& model = small_model();
  const SlowerThanItLooks correction;
  const RuntimeTable& plain = table_with_small_default();
  const RuntimeTable table =
      RuntimeTable::build(model, {.default_config = kSmallTile, .correction = &correction});
  const TileShape shape{4096, 4096, 4096};
  ASSERT_EQ(plain.pick(shape).config, kLargeTile);
  const TilePick pick = table.pick(shape);
  if (pick.config == kLargeTile) {
    EXPECT_NEAR(pick.predicted_us, 1.6F * plain.pick(shape).predicted_us, 0.1F * pick.predicted_us);
  } else {
    EXPECT_LT(pick.predicted_us, 1.6F * plain.pick(shape).predicted_us);
  }
}

TEST(RuntimeTable, PutsItsPickFirstAmongTheBestAndPredictsTheSame) {
  const WaveModel& model = small_model();
  const ApartByShape correction;
  const RuntimeTable table =
      RuntimeTable::build(model, {.default_config = kSmallTile, .correction = &correction});
  RandomStream random(15, "shapes");
  const auto size = [&] { return std::int64_t(std::exp(random.uniform(0, 21))); };
  int biased = 0;
  for (int i = 0; i < 3000; ++i) {
    const TileShape shape{size(), size(), size()};
    const TilePick pick = table.pick(shape);
    const std::vector<TilePick> best = table.best(shape, 2);
    ASSERT_EQ(best.size(), 2U);
    ASSERT_EQ(best[0].index, pick.index) << shape.m << " x " << shape.n << " x " << shape.k;
    EXPECT_EQ(best[0].predicted_us, pick.predicted_us);
    EXPECT_EQ(table.best(shape, 1).front().index, pick.index);
    for (const TilePick& one : best)
      EXPECT_EQ(table.predict_us(shape, one.config), std::optional(double(one.predicted_us)));
    const double formula = predict_us(model, pick.config == kSmallTile ? 0 : 1, shape);
    if (std::abs(std::log(double(pick.predicted_us) / formula)) > 0.02) ++biased;
  }
  EXPECT_GT(biased, 300);  // else the test would say nothing of biases
}

TEST(RuntimeTable, OffersAnotherTileBehindItsPick) {
  // Two pipelines of one tile are never worth two measurements before another tile that may win.
  const RuntimeTable& table = small_table();
  const std::size_t all = table.configs().size();
  for (const TileShape& shape : {TileShape{64, 4096, 4096}, TileShape{777, 2048, 1024}}) {
    const std::vector<TilePick> best = table.best(shape, all);
    ASSERT_EQ(best.size(), all);
    EXPECT_EQ(best[0].index, table.pick(shape).index);
    EXPECT_FALSE(same_macro(best[0].config, best[1].config));
    std::set<std::uint32_t> once;
    for (const TilePick& pick : best) once.insert(pick.index);
    EXPECT_EQ(once.size(), all);
  }
}

// The same tiles where K is one less: two and four times as slow.
double narrow_time(const TileShape& shape, const TileConfig& config) {
  return two_tile_time({shape.m, shape.n, shape.k + 1}, config) * (config == kSmallTile ? 4 : 2);
}
const WaveModel& model_with_narrow_rows() {
  static const WaveModel model = [] {
    std::vector<TileSample> samples = two_tile_samples();
    const std::size_t wide = samples.size();
    for (std::size_t i = 0; i < wide; ++i) {
      TileSample sample = samples[i];
      --sample.shape.k;
      sample.median_us = narrow_time(sample.shape, sample.config);
      samples.push_back(sample);
    }
    return fit_wave_model({}, {.name = "h200_sxm"}, samples);
  }();
  return model;
}

const RuntimeTable& table_with_narrow_rows() {
  static const RuntimeTable table = RuntimeTable::build(model_with_narrow_rows());
  return table;
}

TEST(RuntimeTable, NarrowRowsHaveAFormulaOfTheirOwn) {
  const WaveModel& model = model_with_narrow_rows();
  ASSERT_EQ(model.narrow.size(), 2U);
  const RuntimeTable& table = table_with_narrow_rows();
  EXPECT_EQ(table.configs().size(), 2U);
  RandomStream draw(3, "narrow rows");
  std::size_t other = 0;
  for (int i = 0; i < 200; ++i) {
    const TileShape wide{std::int64_t(1 + draw.uniform() * 4000), 16 * std::int64_t(1 + draw.uniform() * 300),
                         64 * std::int64_t(2 + draw.uniform() * 60)};
    EXPECT_EQ(table.pick(wide).predicted_us, small_table().pick(wide).predicted_us);
    const TileShape narrow{wide.m, wide.n, wide.k - 1};
    const TilePick pick = table.pick(narrow);
    const double time = narrow_time(narrow, pick.config);
    EXPECT_NEAR(double(pick.predicted_us), time, 0.15 * time);
    EXPECT_EQ(table.predict_us(narrow, pick.config), std::optional(double(pick.predicted_us)));
    EXPECT_EQ(table.best(narrow, 2).front().index, pick.index);
    EXPECT_LT(pick.index, 2U);
    other += pick.config == small_table().pick(narrow).config ? 0U : 1U;
  }
  EXPECT_GT(other, 10U);  // what wide rows say of narrow ones is wrong here
}

// And where N is odd too the small tile is the quick one again.
double both_time(const TileShape& shape, const TileConfig& config) {
  return two_tile_time({shape.m, shape.n + 1, shape.k + 1}, config) * (config == kSmallTile ? 1.5 : 6);
}
const WaveModel& model_with_narrow_stores() {
  static const WaveModel model = [] {
    std::vector<TileSample> samples = two_tile_samples();
    const std::size_t wide = samples.size();
    for (std::size_t i = 0; i < wide; ++i) {
      TileSample narrow = samples[i];
      --narrow.shape.k;
      narrow.median_us = narrow_time(narrow.shape, narrow.config);
      TileSample both = narrow;
      --both.shape.n;
      both.median_us = both_time(both.shape, both.config);
      samples.push_back(narrow);
      samples.push_back(both);
    }
    return fit_wave_model({}, {.name = "h200_sxm"}, samples);
  }();
  return model;
}

const RuntimeTable& table_with_narrow_stores() {
  static const RuntimeTable table = RuntimeTable::build(model_with_narrow_stores());
  return table;
}

TEST(RuntimeTable, NarrowStoresOfNarrowRowsHaveAFormulaOfTheirOwn) {
  const WaveModel& model = model_with_narrow_stores();
  ASSERT_EQ(model.narrow.size(), 2U);
  ASSERT_EQ(model.both.size(), 2U);
  const RuntimeTable table = RuntimeTable::from_bytes(table_with_narrow_stores().bytes(), "again");
  const RuntimeTable& without = table_with_narrow_rows();
  RandomStream draw(3, "narrow stores");
  std::size_t other = 0;
  for (int i = 0; i < 200; ++i) {
    const TileShape wide{std::int64_t(1 + draw.uniform() * 4000), 16 * std::int64_t(2 + draw.uniform() * 300),
                         64 * std::int64_t(2 + draw.uniform() * 60)};
    EXPECT_EQ(table.pick(wide).predicted_us, small_table().pick(wide).predicted_us);
    const TileShape narrow{wide.m, wide.n, wide.k - 1};
    EXPECT_EQ(table.pick(narrow).predicted_us, without.pick(narrow).predicted_us);
    const TileShape both{wide.m, wide.n - 1, wide.k - 1};
    const TilePick pick = table.pick(both);
    const double time = both_time(both, pick.config);
    EXPECT_NEAR(double(pick.predicted_us), time, 0.15 * time);
    EXPECT_EQ(table.predict_us(both, pick.config), std::optional(double(pick.predicted_us)));
    EXPECT_EQ(table.best(both, 2).front().index, pick.index);
    EXPECT_LT(pick.index, 2U);
    other += pick.config == without.pick(both).config ? 0U : 1U;
  }
  EXPECT_GT(other, 10U);  // what narrow rows say of narrow stores is wrong here
}

TEST(RuntimeTable, OldProgramsReadTablesWithoutNarrowRows) {
  const auto major_of = [](const RuntimeTable& table) {
    TableHeader header;
    std::memcpy(&header, table.bytes().data(), sizeof header);
    return header.major;
  };
  EXPECT_EQ(major_of(small_table()), kWideTableMajor);
  EXPECT_EQ(major_of(table_with_narrow_rows()), kNarrowTableMajor);
  EXPECT_EQ(major_of(table_with_narrow_stores()), kTuneTableMajor);
}

TEST(WaveFit, FewNarrowSamplesStayWhereTheyWere) {
  std::vector<TileSample> samples = two_tile_samples();
  const std::size_t wide = samples.size();
  for (std::size_t i = 0; i < kFewestSamples - 1; ++i) {
    samples.push_back(samples[i]);
    --samples.back().shape.k;
  }
  const WaveModel model = fit_wave_model({}, {.name = "h200_sxm"}, samples);
  EXPECT_TRUE(model.narrow.empty());
  EXPECT_EQ(samples.size(), wide + kFewestSamples - 1);
}

TEST(RuntimeTable, KeepsOddRowsApart) {
  EXPECT_EQ(row_class_of({}, {64, 64, 4096}), kWholeLines);
  EXPECT_EQ(row_class_of({}, {64, 64, 4096 + 32}), kHalfLines);
  EXPECT_EQ(row_class_of({}, {64, 64, 4096 + 16}), kQuarterLines);
  EXPECT_EQ(row_class_of({}, {64, 64, 4096 + 48}), kQuarterLines);
  EXPECT_EQ(row_class_of({}, {64, 64, 4096 + 8}), kNarrowLoads);
  EXPECT_EQ(row_class_of({}, {64, 63, 4095}), kNarrowLoads);
  EXPECT_EQ(row_class_of({}, {64, 63, 4095}, true), kNarrowBoth);
  EXPECT_EQ(row_class_of({}, {64, 64, 4095}, true), kNarrowLoads);
  EXPECT_EQ(row_class_of({}, {64, 63, 4096}, true), kNarrowStores);
  EXPECT_EQ(row_class_of({}, {64, 63, 4096}), kNarrowStores);
  EXPECT_EQ(row_class_of({.kind = TileKernelKind::Attention}, {63, 63, 3}), kWholeLines);
}

TEST(FourFloats, TransposesAndRounds) {
  const float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const float* const rows[4] = {numbers, numbers + 4, numbers + 8, numbers + 12};
  FourFloats columns[4];
  transpose(rows, columns);
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) EXPECT_EQ(columns[column][row], numbers[4 * row + column]);
  const FourFloats cut = truncated(FourFloats{0.9F, 1.0F, 2.5F, 1e6F});
  EXPECT_EQ(cut[0] + cut[1] + cut[2] + cut[3], 0 + 1 + 2 + 1e6F);
}

TEST(RuntimeTable, ReadsBackWhatItWrote) {
  const ScratchFolder folder;
  const RuntimeTable& table = small_table();
  const auto path = folder.path() / "table.wlt";
  table.write(path);
  const RuntimeTable again = RuntimeTable::open(path);
  EXPECT_EQ(again.bytes(), table.bytes());
  EXPECT_LE(again.bytes().size(), std::size_t{1} << 20);
  EXPECT_EQ(again.gpu().name, "h200_sxm");
  EXPECT_EQ(again.pick({1000, 2000, 3000}).config, table.pick({1000, 2000, 3000}).config);
}

// A mapped file that is cut would end the program, and one that is overwritten would change its answers.
TEST(RuntimeTable, KeepsItsAnswersWhateverBecomesOfItsFile) {
  const ScratchFolder folder;
  const auto path = folder.path() / "table.wlt";
  small_table().write(path);
  const RuntimeTable table = RuntimeTable::open(path);
  const TilePick before = table.pick({4096, 4096, 4096});
  std::filesystem::resize_file(path, 100);
  EXPECT_EQ(table.pick({4096, 4096, 4096}).config, before.config);
  folder.write("table.wlt", std::string(small_table().bytes().size(), '\xAB'));
  EXPECT_EQ(table.pick({4096, 4096, 4096}).config, before.config);
  EXPECT_EQ(table.pick({4096, 4096, 4096}).predicted_us, before.predicted_us);
  EXPECT_THROW(RuntimeTable::open(path), InvalidInput);
}

TEST(RuntimeTable, NumbersItsConfigurations) {
  const RuntimeTable& table = small_table();
  EXPECT_EQ(table.tier(), TableTier::Measured);
  for (const TileShape& shape : {TileShape{1, 512, 512}, TileShape{8192, 8192, 8192}, TileShape{0, 1, 1}}) {
    const TilePick pick = table.pick(shape);
    EXPECT_EQ(table.configs().at(pick.index).config, pick.config);
  }
  for (const TilePick& pick : table.best({512, 512, 512}, 2))
    EXPECT_EQ(table.configs().at(pick.index).config, pick.config);
}

TEST(RuntimeTable, RefusesDamagedBytes) {
  const RuntimeTable& table = small_table();
  const std::string good(table.bytes());
  EXPECT_THROW(RuntimeTable::from_bytes("", "t"), InvalidInput);
  EXPECT_THROW(RuntimeTable::from_bytes("not a table at all", "t"), InvalidInput);
  for (const std::size_t size : {std::size_t{60}, std::size_t{200}, good.size() - 1})
    EXPECT_THROW(RuntimeTable::from_bytes(std::string_view(good).substr(0, size), "t"), InvalidInput);
  for (std::size_t at = 16; at < good.size(); at += 9973) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    EXPECT_THROW(RuntimeTable::from_bytes(bad, "t"), InvalidInput) << at;
  }
  std::string newer = good;
  newer[8] = 9;
  EXPECT_THROW(RuntimeTable::from_bytes(newer, "t"), Unsupported);
}

TEST(RuntimeTable, SaysWhichGpuOrKernelItIsFor) {
  const RuntimeTable& table = small_table();
  EXPECT_NO_THROW(table.require("h200_sxm", "gemm"));
  EXPECT_NO_THROW(table.require("", ""));
  EXPECT_THROW(table.require("b200_sxm", ""), InvalidInput);
  EXPECT_THROW(table.require("", "other"), InvalidInput);
}

TEST(RuntimeTable, KeepsTheNamedDefaultAndRefusesAnUnmeasuredOne) {
  EXPECT_EQ(table_with_small_default().default_config(), kSmallTile);
  EXPECT_THROW(RuntimeTable::build(small_model(), {.default_config = TileConfig{16, 16, 16, 4, 2, 1}}),
               InvalidInput);
}

}  // namespace
}  // namespace warploom
