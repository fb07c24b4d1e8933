#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

TEST(Program, ExplainsItselfWithHelp) {
  const ProgramResult result = run_warploom({"--help"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.output.find("simulate"), std::string::npos);
  EXPECT_EQ(result.errors, "");
}

TEST(Program, RefusesAnUnknownCommandWithStatusTwo) {
  const ProgramResult result = run_warploom({"simulat"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors, "");
}

TEST(Program, WritesOneJsonDocumentAndNothingElse) {
  const ProgramResult result = run_warploom({"gpus", "--json"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_TRUE(nlohmann::json::accept(result.output)) << result.output.substr(0, 200);
}

TEST(Program, OffersTheNearestGpu) {
  const ProgramResult result = run_warploom({"gpu", "show", "H10O-SXM"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("did you mean"), std::string::npos) << result.errors;
}

TEST(Program, TellsItsCommitAndPredictorInJson) {
  const ProgramResult result = run_warploom({"--version", "--json"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto told = nlohmann::json::parse(result.output);
  EXPECT_FALSE(told.at("version").get<std::string>().empty());
  const auto& commit = told.at("commit");  // null where it was built from no checkout
  if (!commit.is_null()) {
    EXPECT_GE(commit.get<std::string>().size(), 40U);
  }
  EXPECT_EQ(told.at("predictor").get<std::string>().size(), 16U);
  EXPECT_EQ(run_warploom({"version", "--json"}).output, result.output);
  EXPECT_EQ(run_warploom({"version"}).output, run_warploom({"-V"}).output);
}

TEST(Program, NamesTheOptionThatWasGivenAndNoEndlessRange) {
  const ProgramResult split =
      run_warploom({"step", "--model", "Qwen3-8B", "--gpu", "H100", "--tp", "3", "--decode", "4x100"});
  EXPECT_EQ(split.exit_status, 2);
  EXPECT_NE(split.errors.find("cannot be split by --tp 3"), std::string::npos) << split.errors;
  EXPECT_EQ(split.errors.find("tensor_parallel"), std::string::npos) << split.errors;
  const ProgramResult threads = run_warploom({"support", "--gpu", "H100", "--threads", "-1"});
  EXPECT_EQ(threads.exit_status, 2);
  EXPECT_NE(threads.errors.find("--threads is -1, expected at least 0"), std::string::npos) << threads.errors;
}

TEST(Program, SupportFitsAScreenAndItsJsonIsWhole) {
  const ProgramResult text = run_warploom({"support", "--model", "DeepSeek-V3"});
  EXPECT_EQ(text.exit_status, 0) << text.errors;
  EXPECT_LE(std::count(text.output.begin(), text.output.end(), '\n'), 24) << text.output;
  EXPECT_NE(text.output.find("--json"), std::string::npos) << text.output;
  const ProgramResult json = run_warploom({"support", "--model", "DeepSeek-V3", "--json"});
  EXPECT_GT(nlohmann::json::parse(json.output).at("rows").size(), 24U);
}

}  // namespace
}  // namespace warploom
