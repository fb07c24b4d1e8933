#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/learning.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;

constexpr int kRows = 24;

// Plausible H100 times of gemms, one row per shape.
std::string measured_csv() {
  std::string text = "gpu,framework,latency_us,operator\n";
  for (int i = 1; i <= kRows; ++i) {
    text += "h100,vllm," + std::to_string(40 * i + 5) +
            ",\"{\"\"family\"\": \"\"gemm\"\", \"\"scheme\"\": \"\"bf16\"\", \"\"m\"\": " +
            std::to_string(1024 * i) + ", \"\"n\"\": 4096, \"\"k\"\": 4096}\"\n";
  }
  return text;
}

TEST(Measurements, ComeBackFromAStore) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured_csv());
  const std::string store = scratch.path() / "rows.db";
  const ProgramResult imported = run_warploom({"import", "warploom", csv, "--store", store, "--json"});
  ASSERT_EQ(imported.exit_status, 0) << imported.errors;
  EXPECT_EQ(nlohmann::json::parse(imported.output)["store"]["rows"], kRows);
  const ProgramResult again = run_warploom({"import", "warploom", csv, "--store", store, "--json"});
  EXPECT_EQ(nlohmann::json::parse(again.output)["store"]["rows"], kRows) << "rows are replaced, not repeated";

  const ProgramResult judged =
      run_warploom({"validate", "kernels", "--store", store, "--predictor", "roofline", "--json"});
  ASSERT_EQ(judged.exit_status, 0) << judged.errors;
  const auto document = nlohmann::json::parse(judged.output);
  EXPECT_EQ(document["overall"]["rows"], kRows);
  EXPECT_LT(document["overall"]["mean_error"].get<double>(), 0.5);
  EXPECT_TRUE(document["families"].contains("gemm"));
}

// Rows of shapes that training could see flatter the predictor: the default judges the others alone.
TEST(Measurements, JudgeOnlyShapesKeptFromTraining) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured_csv());
  std::vector<std::string> judge{"validate", "kernels", "--layout", "warploom", "--data", csv, "--json"};
  const ProgramResult some = run_warploom(judge);
  judge.emplace_back("--all-rows");
  const auto all = nlohmann::json::parse(run_warploom(judge).output);
  EXPECT_EQ(all["overall"]["rows"], kRows);
  ASSERT_EQ(some.exit_status, 0) << some.errors;
  const auto document = nlohmann::json::parse(some.output);
  EXPECT_LT(document["overall"]["rows"], kRows / 2);
  EXPECT_NE(document["split"].get<std::string>().find("kept out of training"), std::string::npos);
}

// A row faster than the GPU's data sheet allows is not judged, which the answer says with the rule's reason
// and source; --keep-impossible judges it too.
TEST(Measurements, FasterThanPhysicsAreCountedAndCanBeJudged) {
  const ScratchFolder scratch;
  std::string rows = measured_csv();
  rows +=
      "h100,vllm,1,\"{\"\"family\"\": \"\"gemm\"\", \"\"scheme\"\": \"\"bf16\"\", "
      "\"\"m\"\": 8192, \"\"n\"\": 8192, \"\"k\"\": 4096}\"\n";
  std::vector<std::string> judge{"validate",    "kernels",  "--layout",
                                 "warploom",    "--data",   scratch.write("rows.csv", rows),
                                 "--predictor", "roofline", "--json"};
  const auto judged = nlohmann::json::parse(run_warploom(judge).output);
  EXPECT_EQ(judged["overall"]["rows"], kRows);
  ASSERT_EQ(judged["rules"].size(), 1u);
  EXPECT_EQ(judged["rules"][0]["rule"], "faster_than_bound");
  EXPECT_EQ(judged["rules"][0]["rows"], 1);
  EXPECT_NE(judged["rules"][0]["reason"].get<std::string>().find("data sheet"), std::string::npos);
  EXPECT_FALSE(judged["rules"][0]["source"].get<std::string>().empty());
  judge.emplace_back("--keep-impossible");
  const auto everything = nlohmann::json::parse(run_warploom(judge).output);
  EXPECT_EQ(everything["overall"]["rows"], kRows + 1);
  EXPECT_TRUE(everything["rules"].empty());
  expect_refusal({"validate", "kernels", "--store", "rows.db", "--keep-impossible"},
                 {"--keep-impossible", "expected --layout"});
}

TEST(Measurements, ComeFromATraceOfPyTorch) {
  const ScratchFolder scratch;
  const std::string store = scratch.path() / "rows.db";
  const std::string trace =
      scratch.write_gzip("trace.json.gz",
                         R"({"deviceProperties":[{"id":0,"name":"NVIDIA H200"}],"traceEvents":[
          {"cat":"cpu_op","name":"aten::mm","args":{"External id":1,"Input Dims":[[512,4096],[4096,6144]],
           "Input type":["c10::BFloat16","c10::BFloat16"]}},
          {"cat":"kernel","name":"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT","dur":60.0,
           "args":{"External id":1,"device":0}},
          {"cat":"kernel","name":"wonder_kernel","dur":20.0,"args":{"External id":77,"device":0}}]})");
  const ProgramResult imported = run_warploom({"import", "kineto", trace, "--store", store});
  ASSERT_EQ(imported.exit_status, 0) << imported.errors;
  for (const char* words : {"1 rows added", "tile 128x256x64 stages 4 cluster 1x2", "wonder_kernel",
                            "unknown", "25.0 % of the time in kernels of unknown name"})
    EXPECT_NE(imported.output.find(words), std::string::npos) << imported.output;
  const ProgramResult judged =
      run_warploom({"validate", "kernels", "--store", store, "--predictor", "roofline", "--json"});
  EXPECT_EQ(nlohmann::json::parse(judged.output)["overall"]["rows"], 1);
  expect_refusal({"import", "kineto", scratch.write("cut.json", "{\"traceEvents\": ["), "--store", store},
                 {"cut.json", "cut off", "export it again"});
}

TEST(Measurements, JudgeBaselinesOnRowsTheyDidNotLearn) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured_csv());
  const std::vector<std::string> judge{"validate",   "kernels", "--layout",     "warploom", "--data",
                                       csv,          "--json",  "--predictor",  "roofline", "--all-rows",
                                       "--baseline", "linear",  "interpolation"};
  expect_refusal(judge, {"baselines to learn from", "--baseline-data"});
  std::vector<std::string> with_data = judge;
  with_data.insert(with_data.end(), {"--baseline-data", csv});
  const ProgramResult judged = run_warploom(with_data);
  if (!learning_available()) {
    EXPECT_EQ(judged.exit_status, 2);
    EXPECT_NE(judged.errors.find("this build has no training libraries"), std::string::npos);
    return;
  }
  ASSERT_EQ(judged.exit_status, 0) << judged.errors;
  const auto baselines = nlohmann::json::parse(judged.output)["baselines"];
  EXPECT_EQ(baselines["interpolation"]["rows"], kRows);
  EXPECT_LT(baselines["linear"]["families"]["gemm"]["mean_error"].get<double>(), 0.1);
  expect_refusal({"validate", "kernels", "--layout", "warploom", "--data", csv, "--baseline", "habitt"},
                 {"--baseline", "did you mean 'habitat'"});
}

TEST(Measurements, TooFewToLearnFromAreRefusedAndNothingIsWritten) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured_csv());
  const std::string output = scratch.path() / "predictor";
  const ProgramResult result =
      run_warploom({"train", "--layout", "warploom", "--data", csv, "--output", output, "--json"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  const char* reason =
      learning_available() ? "train: 24 rows are too few" : "train: this build has no training libraries";
  EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
  EXPECT_FALSE(fs::exists(output));
}

TEST(Measurements, StayBesideThePredictorAsTables) {
  const ScratchFolder scratch;
  std::string text = "gpu,framework,latency_us,operator\n";
  for (int m = 64; m <= 1024; m += 64)
    for (int n = 1024; n <= 8192; n += 1024)
      text +=
          "h100,vllm," + std::to_string(10 + m * (n / 1024) / 40) +
          ",\"{\"\"family\"\": \"\"gemm\"\", \"\"scheme\"\": \"\"bf16\"\", \"\"m\"\": " + std::to_string(m) +
          ", \"\"n\"\": " + std::to_string(n) + ", \"\"k\"\": 4096}\"\n";
  const std::string csv = scratch.write("rows.csv", text), output = scratch.path() / "predictor";
  const std::vector<std::string> learn{"train", "--layout", "warploom", "--data",
                                       csv,     "--output", output,     "--json"};
  std::vector<std::string> with_tables = learn;
  with_tables.emplace_back("--tables");
  if (!learning_available()) return expect_refusal(with_tables, {"train: ", "libxgboost-dev"});
  const ProgramResult trained = run_warploom(with_tables);
  ASSERT_EQ(trained.exit_status, 0) << trained.errors;
  EXPECT_GT(nlohmann::json::parse(trained.output)["families"]["gemm"]["tables"]["rows"], 100);
  const fs::path tables = fs::path(output) / "gemm.wlt";
  EXPECT_TRUE(fs::exists(tables));
  const std::vector<std::string> judge{"validate", "kernels",     "--layout", "warploom", "--data",
                                       csv,        "--predictor", output,     "--json"};
  EXPECT_EQ(run_warploom(judge).exit_status, 0);
  fs::resize_file(tables, fs::file_size(tables) - 5);
  expect_refusal(judge, {"gemm.wlt", "damaged"});
  ASSERT_EQ(run_warploom(learn).exit_status, 0);
  EXPECT_FALSE(fs::exists(tables)) << "tables of the predictor that was replaced";
}

TEST(Measurements, RefuseAnOutputThatIsNoFolder) {
  const ScratchFolder scratch;
  const std::string csv = scratch.write("rows.csv", measured_csv());
  expect_refusal({"train", "--layout", "warploom", "--data", csv, "--output", csv},
                 {"--output", "no folder"});
  expect_refusal({"train", "--layout", "warploom", "--data", csv, "--output", csv + "/deeper"},
                 {"no folder"});
  expect_refusal({"import", "warploom", csv, "--store", csv}, {"rows.csv", "no measurement store"});
}

TEST(Measurements, RefuseBadSourcesAndWriteNothing) {
  const ScratchFolder scratch;
  const std::string store = scratch.path() / "rows.db";
  const auto refuse = [&](const std::string& text, const std::vector<std::string>& words) {
    expect_refusal({"import", "warploom", scratch.write("rows.csv", text), "--store", store}, words);
    EXPECT_FALSE(fs::exists(store));
  };
  refuse("gpu,latency,operator\nh100,1,{}\n", {"rows.csv", "latency_us"});
  refuse("", {"rows.csv"});
  expect_refusal({"import", "warploom", "absent.csv", "--store", store}, {"absent.csv", "no such file"});
  expect_refusal({"import", "warplom", "absent.csv", "--store", store}, {"did you mean 'warploom'"});
  expect_refusal({"validate", "kernels", "--store", store}, {"rows.db", "no such measurement store"});
  expect_refusal({"validate", "kernels"}, {"--store", "--layout"});
  EXPECT_FALSE(fs::exists(store));
}

}  // namespace
}  // namespace warploom
