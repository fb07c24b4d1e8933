#include "warploom/tuned_files/timed_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuned_files/key_launches.h"

namespace warploom {
namespace {

// tests/fixtures/tuner: what `tuned-files --profile` timed, and every configuration.
std::filesystem::path fixture(const std::string& name, const char* folder = "block_products") {
  return std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/tuner" / folder / name;
}

struct Card {
  std::string name, record, device;
};
const Card kCards[] = {{"h100", "h100_sxm", "NVIDIA H100 80GB HBM3"}, {"h200", "h200_sxm", "NVIDIA H200"}};
constexpr std::int64_t kProducts[][2] = {{6144, 4096}, {4096, 4096}, {24576, 4096}, {4096, 12288}};

TunedFile product_file(std::int64_t n, std::int64_t k) {
  return {.kernel = TunedKernel::BlockProduct, .product = BlockProduct{.n = n, .k = k}};
}
TunedFile expert_file() {
  return {.kernel = TunedKernel::Experts,
          .layer = MoeLayer{.experts = 128,
                            .top_k = 8,
                            .hidden = 2048,
                            .intermediate = 768,
                            .dtype = MoeDtype::Fp8W8A8,
                            .block_n = 128,
                            .block_k = 128}};
}

const GpuSpec& gpu(const Card& card) {
  static const GpuCatalog known;
  return known.get(card.record);
}

// Shapes that were timed whole: the share of the best that rows reach, and what they say of it.
struct Judged {
  double log_shares = 0, least = 1;
  int shapes = 0, above_p10 = 0;
};

void judge_rows(const std::vector<SureRow>& rows, const TunedFile& file, const std::vector<LaunchTime>& all,
                Judged& judged) {
  EXPECT_EQ(rows.size(), kMoeLadder.size());
  for (const SureRow& sure : rows) {
    double best = 1e9, mine = 0;
    for (const LaunchTime& time : all) {
      if (!time.is_of(file) || time.tokens != sure.row.tokens) continue;
      best = std::min(best, time.us);
      if (time.config == sure.row.config) mine = time.us;
    }
    if (best == 1e9) continue;
    EXPECT_GT(mine, 0) << sure.row.tokens << " " << moe_config_text(sure.row.config);
    const double share = mine > 0 ? best / mine : 0.1;
    judged.log_shares += std::log(share);
    judged.least = std::min(judged.least, share);
    judged.above_p10 += share >= sure.share.p10 ? 1 : 0;
    ++judged.shapes;
  }
}

Judged judge(const Card& card, bool timed) {
  const std::vector<LaunchTime> times = read_launch_times(fixture(card.name + "_timed.csv.gz"), card.device);
  const std::vector<LaunchTime> all =
      read_launch_times(fixture(card.name + "_exhaustive.csv.gz"), card.device);
  const ConfigModel searches;
  Judged judged;
  for (const auto& [n, k] : kProducts) {
    const TunedFile file = product_file(n, k);
    judge_rows(timed ? timed_rows(file, MoeEngine::Vllm, gpu(card), searches, LaunchTimes(times)).rows
                     : sure_rows(file, MoeEngine::Vllm, gpu(card), searches),
               file, all, judged);
  }
  return judged;
}

TEST(TimedRows, ReachTheBestOfEveryConfiguration) {
  for (const Card& card : kCards) {
    const Judged judged = judge(card, true);
    EXPECT_EQ(judged.shapes, 24) << card.name;
    EXPECT_GE(std::exp(judged.log_shares / judged.shapes), 0.985) << card.name;
    EXPECT_GE(judged.least, 0.92) << card.name;
    RecordProperty(card.name + "_share", std::to_string(std::exp(judged.log_shares / judged.shapes)));
    RecordProperty(card.name + "_worst", std::to_string(judged.least));
  }
}

TEST(TimedRows, OfExpertsReachTheBestOfEveryConfiguration) {
  const Card& card = kCards[0];
  const char* folder = "expert_products";
  const TunedFile file = expert_file();
  const auto times = read_launch_times(fixture("h100_timed.csv.gz", folder), card.device);
  const auto all = read_launch_times(fixture("h100_exhaustive.csv.gz", folder), card.device);
  Judged judged;
  judge_rows(timed_rows(file, MoeEngine::Vllm, gpu(card), ConfigModel(), LaunchTimes(times)).rows, file, all,
             judged);
  EXPECT_EQ(judged.shapes, 6);
  EXPECT_GE(std::exp(judged.log_shares / judged.shapes), 0.985);
  EXPECT_GE(judged.least, 0.92);
  RecordProperty("share", std::to_string(std::exp(judged.log_shares / judged.shapes)));
  RecordProperty("worst", std::to_string(judged.least));
}

// SGLang's own kernels: its default loses most where few tokens meet its 64 rows.
TEST(TimedRows, OfSglangGainMostAtFewTokens) {
  const Card& card = kCards[0];
  const auto times = read_launch_times(fixture("h100_sglang_timed.csv.gz", "expert_products"), card.device);
  for (const TunedFile& file : {product_file(2048, 4096), product_file(5120, 2048), expert_file()}) {
    const auto rows = timed_rows(file, MoeEngine::Sglang, gpu(card), ConfigModel(), LaunchTimes(times)).rows;
    ASSERT_EQ(rows.size(), kMoeLadder.size());
    EXPECT_GT(rows.front().row.speedup, 1.1);
    for (const SureRow& sure : rows) EXPECT_GE(sure.row.speedup, 1) << sure.row.tokens;
    EXPECT_LT(rows.back().row.speedup, rows.front().row.speedup);
  }
}

// The record alone, whose two constants of such kernels are fitted on the H100's shapes.
TEST(SureRows, OfProductsComeNearTheBestOfEveryConfiguration) {
  const Judged fitted = judge(kCards[0], false), judged = judge(kCards[1], false);
  EXPECT_GE(std::exp(fitted.log_shares / fitted.shapes), 0.975);
  EXPECT_GE(fitted.least, 0.85);
  EXPECT_GE(std::exp(judged.log_shares / judged.shapes), 0.965);
  EXPECT_GE(judged.least, 0.80);
  // 90 % of what the interval says.
  EXPECT_GE(fitted.above_p10 + judged.above_p10, 40);
}

// The plan of the file with times of its own making: wide tiles are fast.
std::vector<LaunchTime> invented_times(const TunedFile& file) {
  std::istringstream plan(timing_plan({&file, 1}, MoeEngine::Vllm, gpu(kCards[0]), ConfigModel()));
  std::string text, line;
  std::getline(plan, line);
  text = line + ",median_us,gpu\n";
  while (std::getline(plan, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    text += line + "," + std::to_string(1000.0 / std::stoi(cells[10])) + "," + kCards[0].device + "\n";
  }
  const ScratchFolder folder;
  folder.write("times.csv", text);
  return read_launch_times(folder.path() / "times.csv", kCards[0].device);
}

TEST(TimedRows, OfExpertsTakeTheFastestThatWasTimed) {
  const TunedFile file = expert_file();
  const std::vector<LaunchTime> times = invented_times(file);
  const std::vector<SureRow> rows =
      timed_rows(file, MoeEngine::Vllm, gpu(kCards[0]), ConfigModel(), LaunchTimes(times)).rows;
  ASSERT_EQ(rows.size(), kMoeLadder.size());
  for (const SureRow& sure : rows) {
    std::int32_t widest = 0;
    for (const LaunchTime& time : times)
      if (time.tokens == sure.row.tokens) widest = std::max(widest, time.config.tile.tile_n);
    EXPECT_EQ(sure.row.config.tile.tile_n, widest) << sure.row.tokens;
    EXPECT_TRUE(sure.is_timed);
    EXPECT_LE(sure.share.p10, sure.share.p50);
    EXPECT_LE(sure.share.p50, sure.share.p90);
    EXPECT_LE(sure.share.p90, 1);
    EXPECT_GT(sure.share.p10, 0);
  }
}

TEST(TimedRows, AreNoneWhereAKernelWasNotTimedToItsEnd) {
  std::vector<LaunchTime> times = read_launch_times(fixture("h200_timed.csv.gz"), kCards[1].device);
  const TunedFile file = product_file(4096, 12288);
  std::erase_if(times, [&](const LaunchTime& time) { return time.is_of(file) && time.tokens > 2000; });
  const auto rows_of = [&](const TunedFile& of) {
    return timed_rows(of, MoeEngine::Vllm, gpu(kCards[1]), ConfigModel(), LaunchTimes(times));
  };
  const TimedRows cut = rows_of(file), none = rows_of(product_file(512, 512));
  EXPECT_TRUE(cut.rows.empty());
  EXPECT_NE(cut.why_none.find("end early: at 2048 tokens"), std::string::npos) << cut.why_none;
  EXPECT_TRUE(none.rows.empty());
  EXPECT_EQ(none.why_none, "the samples have no time of this kernel");
  EXPECT_EQ(rows_of(product_file(4096, 4096)).why_none, "");
}

TEST(TimedRows, TimesOfAnotherGpuAreRefused) {
  EXPECT_THROW(read_launch_times(fixture("h200_timed.csv.gz"), kCards[0].device), InvalidInput);
}

TEST(TimedRows, ThePlanHasEachKeysDefaultsAndItsCandidates) {
  const TunedFile files[] = {product_file(4096, 4096), expert_file()};
  const std::string plan = timing_plan(files, MoeEngine::Vllm, gpu(kCards[0]), ConfigModel());
  std::istringstream lines(plan);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(
      line,
      "kernel,bytes,experts,top_k,n,k,block_n,block_k,tokens,bm,bn,bk,warps,stages,group,parts,variant");
  std::map<std::string, std::size_t> rows;  // by kernel and tokens
  bool default_of_the_product = false;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 17U);
    ++rows[cells[0] + " " + cells[8]];
    default_of_the_product = default_of_the_product || line.find(",4096,64,128,128,4,2,32") != line.npos;
    // Steps that cross a block of scales would yield wrong results.
    EXPECT_EQ(128 % std::stoi(cells[11]), 0) << line;
  }
  EXPECT_TRUE(default_of_the_product);
  EXPECT_TRUE(rows.contains("fused_moe 1"));
  for (const auto& [key, count] : rows) {
    EXPECT_GE(count, kTimedConfigs) << key;
    EXPECT_LE(count, kTimedConfigs + 3) << key;
  }
}

TEST(TimedRows, ExpertsOverSeveralGpusAreNotTimed) {
  TunedFile file = expert_file();
  EXPECT_TRUE(may_time(file));
  file.layer->expert_parallel = 2;
  EXPECT_FALSE(may_time(file));
  EXPECT_FALSE(may_time({.kernel = TunedKernel::Lora}));
}

}  // namespace
}  // namespace warploom
