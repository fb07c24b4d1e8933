// Adapters and states from times: what is planned, and that the fastest takes its key.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuned_files/file_contents.h"
#include "warploom/tuned_files/key_launches.h"
#include "warploom/tuned_files/timed_rows.h"

namespace warploom {
namespace {

constexpr const char* kDevice = "NVIDIA H200";

const GpuSpec& gpu() {
  static const GpuCatalog known;
  return known.get("h200_sxm");
}

// Queries, keys and values of a layer of Llama-3.1-8B on the way down, or up onto the layer's own product.
TunedFile adapter_file(bool shrinks) {
  const AdapterProduct product = shrinks ? AdapterProduct{.slices = 3, .k = 4096, .n = 16, .outputs = 48}
                                         : AdapterProduct{.slices = 3, .k = 16, .n = 4096, .outputs = 6144};
  return {.kernel = TunedKernel::Lora,
          .adapters = AdapterFile{
              .shrinks = shrinks, .adds = !shrinks, .rank = 16, .adapters = 2, .products = {product}}};
}

TunedFile state_file() {
  return {.kernel = TunedKernel::StateUpdate,
          .state = StateUpdate{.head_dim = 64, .state = 128, .state_bytes = 2}};
}

struct Planned {
  std::string header;
  std::vector<std::vector<std::string>> rows;
};

Planned planned(const TunedFile& file) {
  Planned found;
  std::istringstream plan(timing_plan({&file, 1}, MoeEngine::Vllm, gpu(), ConfigModel()));
  std::getline(plan, found.header);
  for (std::string line, cell; std::getline(plan, line);) {
    std::istringstream row(line);
    for (found.rows.emplace_back(); std::getline(row, cell, ',');) found.rows.back().push_back(cell);
  }
  return found;
}

// One more us for each row of a tile, warp and stage: the fewest are the fastest. Of `tokens` alone where
// some are named.
std::vector<LaunchTime> invented_times(const TunedFile& file, const std::set<std::string>& tokens = {}) {
  const Planned plan = planned(file);
  std::string text = plan.header + ",median_us,gpu\n";
  for (const std::vector<std::string>& row : plan.rows) {
    if (!tokens.empty() && !tokens.contains(row[8])) continue;
    for (const std::string& cell : row) text += cell + ",";
    text += std::to_string(100 + std::stoi(row[9]) + std::stoi(row[12]) + std::stoi(row[13])) + "," +
            kDevice + "\n";
  }
  const ScratchFolder folder;
  folder.write("times.csv", text);
  return read_launch_times(folder.path() / "times.csv", kDevice);
}

TEST(TimedAdapters, PlansNameTheKindOfLaunchItsSlicesAndItsParts) {
  for (const bool shrinks : {true, false}) {
    const Planned plan = planned(adapter_file(shrinks));
    std::map<std::string, int> by_tokens;
    std::set<std::string> parts;
    for (const std::vector<std::string>& row : plan.rows) {
      ASSERT_EQ(row.size(), 17U);
      const std::vector<std::string> sizes(row.begin(), row.begin() + 8);
      EXPECT_EQ(sizes, shrinks
                           ? std::vector<std::string>({"lora", "2", "2", "3", "16", "4096", "48", "0"})
                           : std::vector<std::string>({"lora", "2", "2", "3", "4096", "16", "6144", "0"}));
      EXPECT_EQ(row[16], shrinks ? "shrink" : "expand_adding");
      parts.insert(row[15]);
      ++by_tokens[row[8]];
    }
    EXPECT_EQ(by_tokens.size(), 14U) << "1 to 8,192 tokens";
    for (const auto& [tokens, count] : by_tokens) {
      EXPECT_GE(count, shrinks ? int(kTimedConfigs) : 9) << tokens << ": the way up has nine";
      EXPECT_LE(count, int(kTimedConfigs) + 1) << tokens;
    }
    EXPECT_EQ(parts.contains("64"), shrinks) << "the default below 128 tokens";
  }
}

TEST(TimedAdapters, TheFastestTakesItsKeyWithTheKeysAroundIt) {
  const TunedFile file = adapter_file(true);
  const LaunchTimes times(invented_times(file));
  const TimedRows found = timed_rows(file, MoeEngine::Vllm, gpu(), ConfigModel(), times);
  EXPECT_EQ(found.why_none, "");
  const std::vector<KeyLaunches> keys = key_launches(file, MoeEngine::Vllm, gpu(), ConfigModel());
  ASSERT_EQ(found.rows.size(), keys.size()) << "numbers of slices that the model has no product of too";
  std::size_t timed = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const SureRow& sure = found.rows[i];
    EXPECT_EQ(sure.above, keys[i].above);
    EXPECT_EQ(sure.below, keys[i].below);
    EXPECT_EQ(sure.is_timed, keys[i].above[1] == 3);
    EXPECT_TRUE(sure.is_timed || sure.row.is_default);
    timed += sure.is_timed ? 1 : 0;
  }
  EXPECT_EQ(timed, 14U);
  const Json contents = file_contents(file, found.rows);
  EXPECT_EQ(contents.at("3").at("3").at("1").at("4096").at("16").at("num_warps"), 4);
}

TEST(TimedAdapters, TimesOfOneWayAreNoneOfTheOther) {
  const LaunchTimes times(invented_times(adapter_file(true)));
  EXPECT_EQ(timed_rows(adapter_file(false), MoeEngine::Vllm, gpu(), ConfigModel(), times).why_none,
            "the samples have no time of this kernel");
  const LaunchTimes cut(invented_times(adapter_file(true), {"1", "2"}));
  EXPECT_NE(timed_rows(adapter_file(true), MoeEngine::Vllm, gpu(), ConfigModel(), cut)
                .why_none.find("end early: at 4 tokens"),
            std::string::npos);
}

TEST(TimedStates, AllConfigurationsAreTimedAndTheFastestIsTaken) {
  const TunedFile file = state_file();
  const Planned plan = planned(file);
  std::map<std::string, std::set<std::string>> by_key;
  for (const std::vector<std::string>& row : plan.rows) by_key[row[8]].insert(row[9] + "/" + row[12]);
  EXPECT_EQ(by_key.size(), 14U) << "8 to 65,536 pairs";
  for (const auto& [pairs, configs] : by_key) EXPECT_GT(configs.size(), kTimedConfigs) << pairs;
  const TimedRows found =
      timed_rows(file, MoeEngine::Vllm, gpu(), ConfigModel(), LaunchTimes(invented_times(file)));
  ASSERT_EQ(found.rows.size(), 14U) << found.why_none;
  for (const SureRow& sure : found.rows) {
    EXPECT_EQ(sure.row.config.tile.tile_m, 4) << sure.row.tokens;
    EXPECT_EQ(sure.row.config.tile.warps, 1) << sure.row.tokens;
    EXPECT_FALSE(sure.row.is_default) << "4 rows, 4 warps";
  }
}

TEST(TimedAdapters, OfExpertsAndOfNoRankAreNotTimed) {
  TunedFile file = adapter_file(true);
  EXPECT_TRUE(may_time(file));
  EXPECT_TRUE(may_time(state_file()));
  file.adapters->experts = 8;
  EXPECT_FALSE(may_time(file));
  EXPECT_FALSE(may_time({.kernel = TunedKernel::StateUpdate}));
}

TEST(TimedAdapters, AVariantThatIsNoneIsRefusedByName) {
  const ScratchFolder folder;
  const std::string row =
      "kernel,bytes,experts,top_k,n,k,block_n,block_k,tokens,bm,bn,bk,warps,stages,group,parts,variant,"
      "median_us,gpu\nlora,2,1,1,16,4096,16,0,1,32,16,16,4,3,8,64,sideways,5.5,NVIDIA H200\n";
  folder.write("times.csv", row);
  try {
    (void)read_launch_times(folder.path() / "times.csv", kDevice);
    ADD_FAILURE();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("sideways"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("expand_adding"), std::string::npos);
  }
}

}  // namespace
}  // namespace warploom
