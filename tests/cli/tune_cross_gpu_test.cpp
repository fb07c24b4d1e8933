// `tune fit` without samples, and `tune plan` with parts of k.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

TEST(TuneCrossGpu, SaysThatNothingWasMeasuredThere) {
  const ScratchFolder scratch;
  const std::string table = scratch.path() / "a100.wlt", scaled = scratch.path() / "l40s.wlt";
  const ProgramResult fit =
      run_warploom({"tune", "fit", "--cross-gpu", "--gpu", "a100_sxm", "--output", table});
  ASSERT_EQ(fit.exit_status, 0) << fit.errors;
  EXPECT_NE(fit.output.find("tier cross_gpu"), std::string::npos);
  const ProgramResult pick =
      run_warploom({"tune", "pick", "--table", table, "--m", "100", "--n", "512", "--k", "512", "--json"});
  EXPECT_EQ(nlohmann::json::parse(pick.output).at("tier"), "cross_gpu");
  const ProgramResult show = run_warploom({"tune", "show", "--table", table, "--n", "512", "--k", "512"});
  EXPECT_NE(show.output.find("tier cross_gpu"), std::string::npos);
  const ProgramResult other =
      run_warploom({"tune", "fit", "--from-table", table, "--gpu", "l40s", "--output", scaled, "--json"});
  ASSERT_EQ(other.exit_status, 0) << other.errors;
  EXPECT_EQ(nlohmann::json::parse(other.output).at("gpu"), "l40s");
}

TEST(TuneCrossGpu, WantsSamplesOrNone) {
  const ScratchFolder scratch;
  const std::string table = scratch.path() / "t.wlt";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, std::vector<std::string>{"--cross-gpu", "--samples", "some.csv"}}) {
    std::vector<std::string> all{"tune", "fit", "--gpu", "H200", "--output", table};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult result = run_warploom(all);
    EXPECT_NE(result.exit_status, 0);
    EXPECT_NE(result.errors.find("either --samples"), std::string::npos) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(table));
  }
}

// 16 of the 160 blind shapes of attention stand in the set that its correction was learned from.
TEST(TuneRegret, DropsShapesThatWereSeenBefore) {
  const ScratchFolder scratch;
  const std::string table = scratch.path() / "attention.wlt",
                    fixtures = source_folder() / "tests" / "fixtures" / "tuner";
  const ProgramResult fit = run_warploom(
      {"tune", "fit", "--gpu", "H200", "--kind", "attention", "--head-group", "4", "--causal", "--default",
       "128x64x64/w4/s3", "--samples", fixtures + "/attention_anchors.csv.gz", "--output", table});
  ASSERT_EQ(fit.exit_status, 0) << fit.errors;
  std::vector<std::string> regret{
      "tune",  "regret", "--no-baselines", "--table", table, "--oracle", fixtures + "/attention_blind.csv.gz",
      "--json"};
  const auto all = nlohmann::json::parse(run_warploom(regret).output);
  EXPECT_EQ(all["shapes"], 160);
  EXPECT_EQ(all["seen"]["shapes"], 0);
  regret.insert(regret.end(), {"--seen", fixtures + "/attention_shapes.csv.gz"});
  const auto unseen = nlohmann::json::parse(run_warploom(regret).output);
  EXPECT_EQ(unseen["shapes"], 144);
  EXPECT_EQ(unseen["rows"].size(), 144u);
  EXPECT_EQ(unseen["seen"]["shapes"], 16);
  EXPECT_EQ(unseen["seen"]["with_them"]["shapes"], 160);
  EXPECT_EQ(unseen["seen"]["with_them"]["geo_mean_share"], all["geo_mean_share"]);
  regret.back() = fixtures + "/attention_blind.csv.gz";
  const ProgramResult nothing = run_warploom(regret);
  EXPECT_EQ(nothing.exit_status, 2);
  EXPECT_NE(nothing.errors.find("every shape of the oracle"), std::string::npos) << nothing.errors;
}

TEST(TunePlan, NamesPartsOfKInAColumnOfTheirOwn) {
  const ScratchFolder scratch;
  const std::string plan = scratch.path() / "plan.csv";
  const ProgramResult result = run_warploom(
      {"tune", "plan", "--gpu", "H200", "--first-round", "--split-k", "2", "8", "--output", plan});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const std::string text = read_file(plan);
  EXPECT_EQ(text.substr(0, text.find('\n')), "bm,bn,bk,warps,stages,m,n,k,split_k");
  EXPECT_NE(run_warploom({"tune", "plan", "--gpu", "H200", "--split-k", "1"}).exit_status, 0);
  EXPECT_NE(
      run_warploom({"tune", "plan", "--gpu", "H200", "--kind", "attention", "--split-k", "2"}).exit_status,
      0);
}

}  // namespace
}  // namespace warploom
