#include <gtest/gtest.h>

#include <array>
#include <string>

#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/capi/warploom.h"
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
    return RuntimeTable::build(fit_wave_model({}, {}, samples));
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

}  // namespace
}  // namespace warploom
