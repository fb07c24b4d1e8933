#include <gtest/gtest.h>

#include <array>
#include <string>

#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/capi/warploom.h"
#include "warploom/tuner/expert_configs.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/tile_sample.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {
namespace {

// A table of one configuration, built once: with sanitizers that takes seconds.
const RuntimeTable& one_config_table() {
  static const RuntimeTable table = [] {
    std::vector<TileSample> samples;
    for (const std::int64_t tiles : {4, 33, 132, 264, 500, 1300})
      for (const std::int64_t loops : {4, 16, 64, 128})
        samples.push_back({TileConfig{}, {128, 128 * tiles, 64 * loops}, 2.0 + double(tiles * loops) / 100});
    return RuntimeTable::build(fit_wave_model({}, {.name = "h200_sxm"}, samples));
  }();
  return table;
}

std::filesystem::path write_table(const ScratchFolder& folder) {
  auto path = folder.path() / "table.wlt";
  one_config_table().write(path);
  return path;
}

TEST(TunePickC, GivesWhatTheTableGives) {
  const ScratchFolder folder;
  const auto path = write_table(folder);
  warploom_tune_table* table = nullptr;
  std::array<char, 200> message{};
  ASSERT_EQ(warploom_tune_open(path.c_str(), "h200_sxm", "gemm", &table, message.data(), message.size()),
            WARPLOOM_OK);
  warploom_tile_config config{};
  warploom_tune_pick(table, 1000, 2000, 3000, &config);
  const TilePick pick = RuntimeTable::open(path).pick({1000, 2000, 3000});
  EXPECT_EQ(config.tile_m, pick.config.tile_m);
  EXPECT_EQ(config.stages, pick.config.stages);
  EXPECT_EQ(config.predicted_us, pick.predicted_us);
  std::array<warploom_tile_config, 3> known{};
  ASSERT_EQ(warploom_tune_configs(table, known.data(), known.size()), 1U);
  const auto index = std::size_t(warploom_tune_pick_index(table, 1000, 2000, 3000));
  EXPECT_EQ(known.at(index).tile_m, config.tile_m);
  EXPECT_EQ(known.at(index).is_default, config.is_default);
  EXPECT_EQ(warploom_tune_configs(table, nullptr, 0), 1U);
  std::array<warploom_tile_config, 3> best{};
  EXPECT_EQ(warploom_tune_best(table, 1000, 2000, 3000, best.data(), best.size()), 1U);
  EXPECT_EQ(warploom_tune_best(table, 0, 2000, 3000, best.data(), best.size()), 0U);
  warploom_tile_config next{};
  const double us = 10;
  const warploom_timed_tiles none{nullptr, nullptr, 0}, one{&next, &us, 1}, torn{nullptr, nullptr, 1};
  ASSERT_EQ(warploom_tune_next(table, 1000, 2000, 3000, &none, &next), 1);
  EXPECT_EQ(next.tile_m, config.tile_m);
  EXPECT_EQ(next.predicted_us, config.predicted_us);
  EXPECT_EQ(warploom_tune_next(table, 1000, 2000, 3000, &one, &next), 0) << "there is no other";
  EXPECT_EQ(warploom_tune_next(table, 1000, 2000, 3000, &torn, &next), 0);
  EXPECT_EQ(warploom_tune_next(table, 1000, 2000, 3000, nullptr, &next), 0);
  EXPECT_EQ(warploom_tune_next(table, 0, 2000, 3000, &none, &next), 0);
  EXPECT_EQ(warploom_tune_next(nullptr, 1000, 2000, 3000, &none, &next), 0);
  warploom_tune_close(table);
}

// Two configurations one percent apart: the default keeps its place although the other is a little faster.
TEST(TunePickC, PutsItsPickFirstAmongTheBest) {
  const ScratchFolder folder;
  const TileConfig slower{}, faster{64, 128, 64, 4, 3, 1};
  std::vector<TileSample> samples;
  for (const std::int64_t tiles : {4, 33, 132, 264, 500, 1300})
    for (const std::int64_t loops : {4, 16, 64, 128})
      for (const TileConfig& config : {slower, faster}) {
        const double time = 2.0 + double(tiles * loops) / 100;
        samples.push_back({config,
                           {config.tile_m, config.tile_n * tiles, config.tile_k * loops},
                           config == faster ? 0.495 * time : time});
      }
  const auto path = folder.path() / "table.wlt";
  RuntimeTable::build(fit_wave_model({}, {}, samples), {.default_config = slower}).write(path);
  warploom_tune_table* table = nullptr;
  ASSERT_EQ(warploom_tune_open(path.c_str(), nullptr, nullptr, &table, nullptr, 0), WARPLOOM_OK);
  for (std::int64_t m = 1; m < 100'000; m = m * 3 + 7)
    for (std::int64_t n = 64; n < 100'000; n = n * 2 + 64) {
      warploom_tile_config pick{}, best{};
      warploom_tune_pick(table, m, n, 4096, &pick);
      ASSERT_EQ(warploom_tune_best(table, m, n, 4096, &best, 1), 1U);
      EXPECT_EQ(best.tile_m, pick.tile_m) << m << " x " << n;
      EXPECT_EQ(best.is_default, pick.is_default) << m << " x " << n;
      EXPECT_EQ(best.predicted_us, pick.predicted_us) << m << " x " << n;
    }
  warploom_tune_close(table);
}

TEST(TunePickC, RefusesAnotherGpuAMissingFileAndADamagedTable) {
  const ScratchFolder folder;
  const auto path = write_table(folder);
  warploom_tune_table* table = nullptr;
  std::array<char, 200> message{};
  EXPECT_EQ(warploom_tune_open(path.c_str(), "b200_sxm", nullptr, &table, message.data(), message.size()),
            WARPLOOM_BAD_INPUT);
  EXPECT_NE(std::string(message.data()).find("h200_sxm"), std::string::npos);
  EXPECT_EQ(table, nullptr);
  const auto published = folder.path() / "published.json";
  write_file_atomically(published, R"({"schema": "warploom_wavetune_table", "version": 1})");
  EXPECT_EQ(warploom_tune_open(published.c_str(), nullptr, nullptr, &table, message.data(), message.size()),
            WARPLOOM_UNSUPPORTED);
  EXPECT_NE(std::string(message.data()).find("a table of the published wave model"), std::string::npos);
  EXPECT_EQ(warploom_tune_open("/no/such/table", nullptr, nullptr, &table, nullptr, 0), WARPLOOM_IO_ERROR);
  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file_atomically(path, bytes);
  EXPECT_EQ(warploom_tune_open(path.c_str(), nullptr, nullptr, &table, message.data(), 10),
            WARPLOOM_BAD_INPUT);
  EXPECT_EQ(std::string(message.data()).size(), 9U);
}

TEST(TunePickC, SurvivesNullArguments) {
  warploom_tile_config config{.tile_m = 7};
  warploom_tune_pick(nullptr, 1, 1, 1, &config);
  EXPECT_EQ(config.tile_m, 0);
  warploom_tune_pick(nullptr, 1, 1, 1, nullptr);
  warploom_tune_close(nullptr);
  EXPECT_EQ(warploom_tune_pick_index(nullptr, 1, 1, 1), 0);
  EXPECT_EQ(warploom_tune_configs(nullptr, &config, 1), 0U);
  EXPECT_EQ(warploom_tune_open(nullptr, nullptr, nullptr, nullptr, nullptr, 0), WARPLOOM_BAD_INPUT);
}

const RuntimeTable& grouped_table() {
  static const RuntimeTable table = [] {
    std::vector<TileSample> samples;
    for (const std::int64_t tile_m : {16, 64})
      for (const std::int64_t rows : {8, 64, 512, 4096})
        for (const std::int64_t columns : {512, 2048, 8192})
          for (const std::int64_t depth : {256, 1024, 4096})
            samples.push_back({TileConfig{std::int32_t(tile_m), 64, 64, 4, 3, 1},
                               {rows, columns, depth},
                               3.0 + double(std::max(tile_m, rows) * columns * depth) * 1e-9 +
                                   (tile_m == 64 ? 4.0 : 0.01 * double(rows))});
    const TileKernel kernel{.kind = TileKernelKind::GroupedGemm, .group_rows = 4, .experts = 8, .top_k = 2};
    return RuntimeTable::build(fit_wave_model(kernel, {}, samples));
  }();
  return table;
}

TEST(TuneExpertsC, GivesWhatTheLayersConfigurationsGive) {
  const ScratchFolder folder;
  const auto path = folder.path() / "grouped.wlt";
  grouped_table().write(path);
  warploom_tune_table* table = nullptr;
  ASSERT_EQ(warploom_tune_open(path.c_str(), nullptr, nullptr, &table, nullptr, 0), WARPLOOM_OK);
  const warploom_expert_layer layer{.hidden = 1024, .width = 512, .top_k = 2, .expert_parallel = 1};
  warploom_tune_experts* experts = nullptr;
  ASSERT_EQ(warploom_tune_experts_open(table, &layer, &experts, nullptr, 0), WARPLOOM_OK);
  warploom_tune_close(table);  // what the layer needs lives on
  const ExpertConfigs configs(grouped_table(), {.hidden = 1024, .width = 512, .top_k = 2});
  const warploom_tile_config own{
      .tile_m = 64, .tile_n = 64, .tile_k = 64, .warps = 4, .stages = 3, .split_k = 1};
  const TileConfig same{64, 64, 64, 4, 3, 1};
  int kept = 0;
  for (const std::int64_t tokens : {1, 7, 200, 3000, 100'000}) {
    warploom_expert_pick pick{};
    warploom_tune_experts_pick(experts, tokens, &own, &pick);
    const ExpertPick expected = configs.pick(tokens, &same);
    EXPECT_EQ(pick.config.tile_m, expected.config.tile_m) << tokens;
    EXPECT_EQ(pick.config.predicted_us, expected.predicted_us) << tokens;
    EXPECT_EQ(pick.keeps_own, expected.keeps_own ? 1 : 0) << tokens;
    EXPECT_EQ(pick.group_rows, 4);
    kept += pick.keeps_own;
  }
  EXPECT_TRUE(kept > 0 && kept < 5) << kept;
  warploom_expert_pick pick{};
  warploom_tune_experts_pick(experts, 0, nullptr, &pick);
  EXPECT_TRUE(pick.keeps_own == 0 && pick.config.is_default == 1 && pick.config.predicted_us == 0);
  warploom_tune_experts_close(experts);
}

TEST(TuneExpertsC, RefusesTablesOfOtherKernelsAndNullArguments) {
  const ScratchFolder folder;
  warploom_tune_table* table = nullptr;
  ASSERT_EQ(warploom_tune_open(write_table(folder).c_str(), nullptr, nullptr, &table, nullptr, 0),
            WARPLOOM_OK);
  const warploom_expert_layer layer{.hidden = 1024, .width = 512, .top_k = 2, .expert_parallel = 1};
  warploom_tune_experts* experts = nullptr;
  std::array<char, 200> message{};
  EXPECT_EQ(warploom_tune_experts_open(table, &layer, &experts, message.data(), message.size()),
            WARPLOOM_BAD_INPUT);
  EXPECT_NE(std::string(message.data()).find("expected a table of grouped_gemm"), std::string::npos);
  EXPECT_EQ(experts, nullptr);
  EXPECT_EQ(warploom_tune_experts_open(nullptr, &layer, &experts, nullptr, 0), WARPLOOM_BAD_INPUT);
  EXPECT_EQ(warploom_tune_experts_open(table, nullptr, &experts, nullptr, 0), WARPLOOM_BAD_INPUT);
  EXPECT_EQ(warploom_tune_experts_open(table, &layer, nullptr, nullptr, 0), WARPLOOM_BAD_INPUT);
  warploom_tune_close(table);
  warploom_tune_experts_close(nullptr);
  warploom_expert_pick pick{.group_rows = 9, .keeps_own = 9};
  const warploom_tile_config own{.tile_m = 16};
  warploom_tune_experts_pick(nullptr, 1, &own, &pick);
  EXPECT_TRUE(pick.config.tile_m == 16 && pick.group_rows == 0 && pick.keeps_own == 1);
  warploom_tune_experts_pick(nullptr, 1, nullptr, &pick);
  EXPECT_TRUE(pick.config.tile_m == 0 && pick.keeps_own == 0);
  warploom_tune_experts_pick(nullptr, 1, &own, nullptr);
}

}  // namespace
}  // namespace warploom
