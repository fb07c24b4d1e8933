#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

std::vector<std::string> with(const std::vector<std::string>& more) {
  std::vector<std::string> words{"tuned-files", "--model", "Qwen/Qwen3-30B-A3B-FP8"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(TunedFiles, MissingFilesAreWrittenWhereTheEngineLooks) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path() / "configs";
  const ProgramResult made = run_warploom(with({"--gpu", "L40S", "--write", folder, "--json"}));
  ASSERT_EQ(made.exit_status, 0) << made.errors;
  std::size_t written = 0;
  const auto files = nlohmann::json::parse(made.output)["files"];
  for (const auto& file : files) {
    const std::string path = file["written"];
    const auto& predicted = file["rows"];
    const bool gains = std::any_of(predicted.begin(), predicted.end(),
                                   [](const auto& row) { return row["config"] != row["engine_default"]; });
    EXPECT_EQ(path.empty(), !gains) << file["name"];
    if (path.empty()) continue;
    ++written;
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    EXPECT_EQ(std::filesystem::path(path).filename(), file["name"].get<std::string>());
    const bool in_package = path.find("/package/vllm/") != std::string::npos;
    EXPECT_EQ(in_package, file["variable"] == "") << path;
    const auto rows = nlohmann::json::parse(std::ifstream(path));
    ASSERT_EQ(rows.size(), file["rows"].size());
    for (const auto& [tokens, config] : rows.items())
      EXPECT_EQ(config, file["rows"][tokens]["config"]) << tokens;
  }
  EXPECT_GE(written, 2U) << "the products before and behind attention";
}

TEST(TunedFiles, TextSaysWhatShipsAndHowSureTheRestIs) {
  const ProgramResult told =
      run_warploom({"tuned-files", "--model", "DeepSeek-V3", "--gpu", "H200", "--tp", "8", "--all"});
  ASSERT_EQ(told.exit_status, 0) << told.errors;
  for (const char* word :
       {"vllm 0.33.0", "ships in vllm/model_executor", "share of the best", "--linear-backend"})
    EXPECT_NE(told.output.find(word), std::string::npos) << word;
}

TEST(TunedFiles, AGpuWithoutFp8SaysWhyNothingIsPredicted) {
  const ProgramResult told = run_warploom(with({"--gpu", "A100-SXM-80GB", "--json"}));
  ASSERT_EQ(told.exit_status, 0) << told.errors;
  const auto answer = nlohmann::json::parse(told.output);
  ASSERT_FALSE(answer["files"].empty());
  for (const auto& file : answer["files"]) {
    EXPECT_EQ(file["state"], "missing");
    EXPECT_NE(file["not_predicted"], "");
  }
}

TEST(TunedFiles, RowsSayWhatTheyRestOnAndWhyTheyWereNotTimed) {
  const std::string samples =
      std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/tuner/block_products/h200_timed.csv.gz";
  const std::vector<std::string> asked{"tuned-files",    "--model",   "Qwen/Qwen3-8B",
                                       "--quantization", "fp8_block", "--gpu",
                                       "H200",           "--samples", samples};
  const auto states = [&](std::vector<std::string> words) {
    words.push_back("--json");
    const ProgramResult told = run_warploom(words);
    EXPECT_EQ(told.exit_status, 0) << told.errors;
    return nlohmann::json::parse(told.output)["files"];
  };
  std::size_t timed = 0, predicted = 0;
  for (const auto& file : states(asked))
    if (file["state"] == "timed") {
      EXPECT_EQ(file["tier"], "measured");
      EXPECT_EQ(file["not_timed"], "");
      ++timed;
    }
  // Products of two GPUs are others, and the samples have none of them.
  std::vector<std::string> split(asked);
  split.insert(split.end(), {"--tp", "2"});
  for (const auto& file : states(split))
    if (file["state"] == "predicted") {
      EXPECT_EQ(file["tier"], "cross_gpu");
      EXPECT_EQ(file["not_timed"], "the samples have no time of this kernel");
      ++predicted;
    }
  EXPECT_EQ(timed, 4U);
  EXPECT_GE(predicted, 3U);
  EXPECT_NE(run_warploom(split).output.find("predicted, not timed: the samples have no time"),
            std::string::npos);
}

TEST(TunedFiles, WhatNoEngineWouldOpenIsRefused) {
  expect_refusal(with({"--gpu", "VR200"}), {"how its driver spells its name is not known"});
  expect_refusal(with({"--gpu", "H200", "--engine-version", "0.20.0"}), {"vllm 0.20.0", "expected 0.33.0"});
  expect_refusal(with({"--gpu", "H200", "--tp", "3"}), {"--tp 3"});
  expect_refusal(with({"--gpu", "H200", "--quantization", "int5"}), {"int5"});
}

}  // namespace
}  // namespace warploom
