// The published wave model and other ways to choose, beside ours: `tune fit --method wavetune`, `tune
// regret`.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

using nlohmann::json;

std::string fixture(const std::string& name) {
  return source_folder() / "tests" / "fixtures" / "tuner" / (name + ".csv.gz");
}

json answer_of(std::vector<std::string> words) {
  words.emplace_back("--json");
  const ProgramResult result = run_warploom(words);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  return json::parse(result.output, nullptr, false);
}

std::string error_of(const std::vector<std::string>& words) {
  const ProgramResult result = run_warploom(words);
  EXPECT_NE(result.exit_status, 0);
  return result.errors;
}

// Both methods' tables of the stored attention anchors, which are few.
struct TwoTables {
  TwoTables() {
    const std::vector<std::string> kernel{"--kind", "attention", "--causal", "--samples",
                                          fixture("attention_anchors")};
    std::vector<std::string> words{"tune", "fit", "--gpu", "H200", "--head-group", "4", "--output", ours};
    words.insert(words.end(), kernel.begin(), kernel.end());
    answer_of(words);
    words = {"tune", "fit",      "--gpu",    "H200",     "--head-group",
             "4",    "--method", "wavetune", "--output", published};
    words.insert(words.end(), kernel.begin(), kernel.end());
    fit = answer_of(words);
  }
  ScratchFolder scratch;
  std::string ours = scratch.path() / "ours.wlt", published = scratch.path() / "published.json";
  json fit;
};

TEST(TuneWaveTune, FitsAndPicks) {
  const TwoTables tables;
  EXPECT_EQ(tables.fit["method"], "wavetune");
  EXPECT_EQ(tables.fit["macro_configs"], 12);
  EXPECT_EQ(tables.fit["anchors"], tables.fit["samples"]);
  EXPECT_GT(tables.fit["median_r_squared"], 0.99);
  const json pick =
      answer_of({"tune", "pick", "--table", tables.published, "--m", "700", "--n", "900", "--k", "64"});
  EXPECT_GT(pick["predicted_us"], 1);
  EXPECT_TRUE(pick["extrapolated"].is_boolean());
}

TEST(TuneWaveTune, IsRefusedWhereOurTablesAloneAreRead) {
  const TwoTables tables;
  const std::vector<std::string> shape{"--n", "900", "--k", "64"};
  const std::string output = tables.scratch.path() / "exported";
  for (std::vector<std::string> words :
       {std::vector<std::string>{"tune", "show", "--table", tables.published},
        {"tune", "export", "--format", "table", "--output", output, "--table", tables.published}}) {
    words.insert(words.end(), shape.begin(), shape.end());
    const std::string error = error_of(words);
    EXPECT_NE(error.find("which `warploom tune pick` and `warploom tune regret` read alone"),
              std::string::npos)
        << error;
  }
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST(TuneWaveTune, StandsBesideOursOnTheSameShapes) {
  const TwoTables tables;
  const std::vector<std::string> words{"tune",
                                       "regret",
                                       "--table",
                                       tables.ours,
                                       "--oracle",
                                       fixture("attention_blind"),
                                       "--samples",
                                       fixture("attention_anchors"),
                                       "--baseline",
                                       "wavetune",
                                       "wavetune_relative",
                                       "nearest_shape",
                                       "default"};
  const json answer = answer_of(words);
  EXPECT_EQ(answer["method"], "warploom");
  ASSERT_EQ(answer["baselines"].size(), 4U);
  for (const auto& [name, method] : answer["baselines"].items()) {
    EXPECT_EQ(method["shapes"], answer["shapes"]) << name;
    EXPECT_LT(method["geo_mean_share"], answer["geo_mean_share"]) << name;
    EXPECT_TRUE(method["decision_ns"].is_null()) << name;
  }
  const json& published = answer["baselines"]["wavetune"];
  EXPECT_GT(published["geo_mean_share"], 0.9);
  EXPECT_EQ(published["anchors"], tables.fit["anchors"]);
  EXPECT_NE(published["geo_mean_share"], answer["baselines"]["wavetune_relative"]["geo_mean_share"]);
  // As a table of its own it answers the same.
  const json alone =
      answer_of({"tune", "regret", "--table", tables.published, "--oracle", fixture("attention_blind"),
                 "--seen", fixture("attention_anchors"), "--no-baselines"});
  EXPECT_EQ(alone["method"], "wavetune");
  EXPECT_EQ(alone["geo_mean_share"], published["geo_mean_share"]);
}

TEST(TuneWaveTune, MeasuresDecisionsAndFitsWhereAsked) {
  const TwoTables tables;
  const json answer = answer_of({"tune", "regret", "--times", "--table", tables.ours, "--oracle",
                                 fixture("attention_blind"), "--samples", fixture("attention_anchors"),
                                 "--baseline", "wavetune", "nearest_shape", "default"});
  EXPECT_GT(answer["decision_ns"], 0);
  EXPECT_GT(answer["fit_seconds"], 0);
  EXPECT_GT(answer["anchors"], 1000);
  for (const char* name : {"wavetune", "nearest_shape"}) {
    EXPECT_GT(answer["baselines"][name]["decision_ns"], 0);
    EXPECT_GE(answer["baselines"][name]["fit_seconds"], 0);
  }
  EXPECT_TRUE(answer["baselines"]["default"]["decision_ns"].is_null());
}

TEST(TuneWaveTune, SaysWhatIsWrong) {
  const TwoTables tables;
  const std::string oracle = fixture("attention_blind");
  const auto regret = [&](const std::string& table, const std::vector<std::string>& more) {
    std::vector<std::string> words{"tune", "regret", "--table", table, "--oracle", oracle};
    words.insert(words.end(), more.begin(), more.end());
    return error_of(words);
  };
  for (const std::string& table : {tables.ours, tables.published})
    EXPECT_NE(regret(table, {"--gpu", "H100"}).find("is for GPU 'h200_sxm', not 'h100_sxm'"),
              std::string::npos);
  EXPECT_NE(regret(tables.ours, {"--baseline", "wavetun"}).find("did you mean 'wavetune'"),
            std::string::npos);
  EXPECT_NE(regret(tables.ours, {"--baseline", "wavetune"}).find("expected --samples"), std::string::npos);
  EXPECT_NE(regret(tables.ours, {"--baseline", "default", "--no-baselines"}).find("turned off"),
            std::string::npos);
  const std::string few = tables.scratch.write(
      "few.csv",
      "bm,bn,bk,warps,stages,m,n,k,median_us\n64,64,64,4,3,4096,4096,256,9\n64,64,64,4,3,64,64,256,3\n");
  EXPECT_NE(error_of({"tune", "fit", "--gpu", "H200", "--method", "wavetune", "--samples", few, "--output",
                      tables.ours + "2"})
                .find("no tile sizes have 4 anchors"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(tables.ours + "2"));
}

// The publication's own figure is not known; 93 to 96 % of the oracle is what a re-made sketch reached here.
TEST(TuneWaveTune, ReachesWhatThePublishedModelReaches) {
  const std::filesystem::path data = data_folder() / "tuner_h200";
  if (data_folder().empty() || !std::filesystem::exists(data))
    GTEST_SKIP() << "no measured data: set WARPLOOM_DATA to its folder";
  const ScratchFolder scratch;
  const std::string table = scratch.path() / "table.json";
  answer_of({"tune", "fit", "--gpu", "H200", "--method", "wavetune", "--samples", data / "anchors.csv.gz",
             "--output", table});
  const json answer = answer_of(
      {"tune", "regret", "--no-baselines", "--table", table, "--oracle", data / "exhaustive.csv.gz"});
  EXPECT_EQ(answer["shapes"], 156);
  EXPECT_GT(answer["geo_mean_share"], 0.93);
  EXPECT_LT(answer["geo_mean_share"], 0.96);
}

TEST(TunePick, TakesTheRowsOfEachExpert) {
  const ScratchFolder scratch;
  const std::string table = scratch.path() / "experts.wlt";
  answer_of({"tune", "fit", "--gpu", "H200", "--kind", "grouped_gemm", "--experts", "16", "--top-k", "2",
             "--default", "64x64x32/w4/s3", "--samples", fixture("grouped_anchors"), "--output", table});
  std::vector<std::string> words{"tune", "pick", "--table", table,          "--n",
                                 "2048", "--k",  "2048",    "--expert-rows"};
  std::vector<std::string> even = words, skewed = words;
  for (int expert = 0; expert < 16; ++expert) {
    even.emplace_back("64");
    skewed.emplace_back(expert == 0 ? "1024" : "0");
  }
  const json spread = answer_of(even), one = answer_of(skewed);
  EXPECT_EQ(spread["m"], 1024);
  EXPECT_EQ(one["m"], 1024);
  // Spread evenly, sizes say what the table took for granted.
  const json usual =
      answer_of({"tune", "pick", "--table", table, "--m", "1024", "--n", "2048", "--k", "2048"});
  EXPECT_EQ(spread["config"], usual["config"]);
  EXPECT_NEAR(spread["predicted_us"].get<double>(), usual["predicted_us"].get<double>(),
              1e-3 * usual["predicted_us"].get<double>());
  // One expert's operand in place of sixteen.
  EXPECT_LT(one["predicted_us"].get<double>(), 0.8 * usual["predicted_us"].get<double>());
  words.emplace_back("64");
  EXPECT_NE(error_of(words).find("one for each of the table's 16 experts"), std::string::npos);
  words.insert(words.end(), {"--m", "8"});
  EXPECT_NE(run_warploom(words).exit_status, 0);
}

}  // namespace
}  // namespace warploom
