#include "warploom/tuner/expert_configs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <thread>

#include "warploom/base/error.h"
#include "warploom/tuner/tile_sample.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {
namespace {

const TileKernel kGrouped{.kind = TileKernelKind::GroupedGemm, .experts = 8, .top_k = 2};
constexpr ExpertLayer kLayer{.hidden = 2048, .width = 768, .top_k = 2};

// Short tiles launch soon, tall ones do more work an iteration; two more split k.
const RuntimeTable& grouped_table() {
  static const RuntimeTable table = [] {
    std::vector<TileSample> samples;
    for (const std::int64_t tile_m : {16, 32, 64, 128})
      for (const std::int64_t tile_n : {64, 128})
        for (const std::int32_t split : {1, 2})
          for (const std::int64_t rows : {8, 64, 512, 4096})
            for (const std::int64_t columns : {512, 2048, 8192})
              for (const std::int64_t depth : {256, 1024, 4096}) {
                const TileConfig config{std::int32_t(tile_m), std::int32_t(tile_n), 64, 4, 3, split};
                const double blocks = std::ceil(double(rows) / 8 / double(tile_m)) * 8 *
                                      std::ceil(double(columns) / double(tile_n)) * split;
                const double waves = std::ceil(blocks / 132);
                const double time = 3.0 + waves * (0.4 + double(tile_m * tile_n * depth / split) * 2e-8) +
                                    1e-3 * double(tile_n);
                samples.push_back({config, {rows, columns, depth}, time});
              }
    return RuntimeTable::build(fit_wave_model(kGrouped, {}, samples));
  }();
  return table;
}

// The rule as it is stated, over all configurations.
ExpertPick by_lists(const RuntimeTable& table, const ExpertProducts& products, const TileConfig* own) {
  std::map<TileConfig, double> times;
  for (const FittedConfig& config : table.configs())
    if (config.config.split_k == 1) times[config.config] = *table.time_of_both(products, config.config);
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto best = std::min_element(times.begin(), times.end(), less);
  if (own != nullptr && times.contains(*own) && times[*own] <= best->second * std::exp(kTableError))
    return {.config = *own, .keeps_own = true};
  return {.config = best->first};
}

TEST(ExpertConfigs, AreTheBestOfBothListsUnlessTheCallersOwnIsAsGood) {
  const ExpertConfigs configs(grouped_table(), kLayer);
  // The engine's: the best of one number of tokens, which is as good at others; two that cannot be compared.
  const TileConfig known = by_lists(grouped_table(), {kLayer, kGrouped, 64}, nullptr).config;
  const TileConfig unknown{256, 256, 32, 8, 4, 1}, split{64, 64, 64, 4, 3, 2};
  std::map<TileConfig, int> chosen;
  int kept = 0;
  for (std::int64_t tokens = 1; tokens < 60'000; tokens = tokens * 9 / 8 + 1)
    for (const TileConfig* own : {static_cast<const TileConfig*>(nullptr), &known, &unknown, &split}) {
      const ExpertPick expected = by_lists(grouped_table(), {kLayer, kGrouped, tokens}, own);
      for (int times = 0; times < 2; ++times) {  // the second time from memory
        const ExpertPick pick = configs.pick(tokens, own);
        EXPECT_EQ(pick.config, expected.config) << tokens;
        EXPECT_EQ(pick.keeps_own, expected.keeps_own) << tokens;
        EXPECT_GT(pick.predicted_us, 0);
      }
      ++chosen[expected.config];
      kept += expected.keeps_own ? 1 : 0;
    }
  EXPECT_GT(chosen.size(), 2u) << "the table chooses";
  EXPECT_GT(kept, 0);
}

TEST(ExpertConfigs, TokensChooseByChanceWhereTheTableDoesNotSay) {
  const ExpertProducts products(kLayer, kGrouped, 4);
  EXPECT_EQ(products.rows, (std::vector<std::int64_t>{2, 2, 2, 1, 1, 0, 0, 0}));
  const TileConfig config = grouped_table().default_config();
  // Three of eight experts have no rows and need no tiles.
  ExpertProducts even = products;
  even.rows.clear();
  EXPECT_LT(*grouped_table().time_of_both(products, config), *grouped_table().time_of_both(even, config));
  const auto alone = [&](const TileShape& shape) { return *grouped_table().predict_us(shape, config); };
  EXPECT_FLOAT_EQ(float(*grouped_table().time_of_both(even, config)),
                  float(alone(even.first()) + alone(even.second())));
  TileKernel skewed = kGrouped;
  skewed.expert_skew = 0.5;
  EXPECT_TRUE(ExpertProducts(kLayer, skewed, 4).rows.empty());
  EXPECT_EQ(grouped_table().time_of_both(products, {512, 64, 64, 4, 3, 1}), std::nullopt);
}

TEST(ExpertConfigs, FewerPairsWhereExpertsAreSharedOut) {
  const ExpertConfigs whole(grouped_table(), kLayer);
  ExpertLayer shared = kLayer;
  shared.expert_parallel = 4;
  const ExpertConfigs part(grouped_table(), shared);
  const float all = whole.pick(100, nullptr).predicted_us;
  EXPECT_NEAR(part.pick(400, nullptr).predicted_us, all, 0.1F * all);
}

TEST(ExpertConfigs, KeepsWhatIsThereWhereNothingIsKnown) {
  const ExpertConfigs configs(grouped_table(), kLayer);
  const TileConfig own{256, 256, 32, 8, 4, 1};
  for (const std::int64_t tokens : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{1} << 40}) {
    EXPECT_EQ(configs.pick(tokens, &own).config, own);
    EXPECT_TRUE(configs.pick(tokens, &own).keeps_own);
    EXPECT_EQ(configs.pick(tokens, nullptr).config, grouped_table().default_config());
    EXPECT_EQ(configs.pick(tokens, nullptr).predicted_us, 0);
  }
  EXPECT_GT(configs.pick(1 << 20, nullptr).predicted_us, 0) << "more tokens than are remembered";
}

TEST(ExpertConfigs, RefusesOtherTablesAndSizes) {
  const auto refused = [](const ExpertLayer& layer) {
    EXPECT_THROW(ExpertConfigs(grouped_table(), layer), InvalidInput);
  };
  refused({.hidden = 2048, .width = 768, .top_k = 3});
  refused({.hidden = 0, .width = 768, .top_k = 2});
  refused({.hidden = 2048, .width = std::int64_t{1} << 30, .top_k = 2});
  refused({.hidden = 2048, .width = 768, .top_k = 2, .expert_parallel = 0});
  std::vector<TileSample> samples;
  for (const std::int64_t tiles : {4, 33, 132, 264, 500, 1300})
    for (const std::int64_t loops : {4, 16, 64, 128})
      samples.push_back({TileConfig{}, {128, 128 * tiles, 64 * loops}, 2.0 + double(tiles * loops) / 100});
  const RuntimeTable products = RuntimeTable::build(fit_wave_model({}, {}, samples));
  EXPECT_THROW(ExpertConfigs(products, kLayer), InvalidInput);
}

TEST(ExpertConfigs, ThreadsFindTheSame) {
  const ExpertConfigs configs(grouped_table(), kLayer);
  std::array<std::vector<TileConfig>, 4> found;
  std::vector<std::thread> threads;
  for (auto& mine : found)
    threads.emplace_back([&configs, &mine] {
      for (std::int64_t tokens = 1; tokens < 300; ++tokens)
        mine.push_back(configs.pick(tokens, nullptr).config);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& other : found) EXPECT_EQ(other, found[0]);
}

}  // namespace
}  // namespace warploom
