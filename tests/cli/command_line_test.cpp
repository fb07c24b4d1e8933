#include <gtest/gtest.h>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

TEST(CommandLine, RefusesAWordThatIsNoNumber) {
  expect_refusal({"predict", "gemm", "--m", "abc", "--gpu", "h100"}, {"--m", "abc", "integer"});
  expect_refusal({"static", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--batch", "1e3"},
                 {"--batch", "1e3"});
}

TEST(CommandLine, RefusesAnUnknownOptionWithTheNearest) {
  expect_refusal({"predict", "gemm", "--shceme", "fp8", "--gpu", "h100"},
                 {"predict gemm", "--shceme", "--scheme"});
  expect_refusal({"gpus", "--jsn"}, {"--jsn", "--json"});
}

TEST(CommandLine, RefusesAMissingOptionByName) {
  expect_refusal({"predict", "gemm", "--m", "1"}, {"predict gemm", "--gpu is required"});
  expect_refusal({"predict", "attention_decode", "--gpu", "h100"}, {"--requests is required"});
  expect_refusal({"train", "--store", "rows.db"}, {"--output is required"});
}

TEST(CommandLine, RefusesAnUnknownCommandWithTheNearest) {
  expect_refusal({"simulat"}, {"simulat", "did you mean 'simulate'"});
  expect_refusal({"predict", "gemmm", "--m", "64"}, {"gemmm", "did you mean 'gemm'"});
  expect_refusal({"validate"}, {"validate", "kernels", "serving"});
  expect_refusal({}, {"a command is missing", "simulate"});
}

TEST(CommandLine, RefusesSpareWords) {
  expect_refusal({"gpus", "extra"}, {"gpus", "'extra' was not expected"});
}

TEST(CommandLine, EveryCommandExplainsItself) {
  const std::vector<std::vector<std::string>> commands = {{"gpus"},
                                                          {"gpu", "show"},
                                                          {"models"},
                                                          {"predict", "gemm"},
                                                          {"import"},
                                                          {"train"},
                                                          {"validate", "kernels"},
                                                          {"validate", "static"},
                                                          {"step"},
                                                          {"static"},
                                                          {"simulate"},
                                                          {"validate", "serving"}};
  for (std::vector<std::string> command : commands) {
    command.push_back("--help");
    const ProgramResult result = run_warploom(command);
    EXPECT_EQ(result.exit_status, 0) << command.front();
    EXPECT_NE(result.output.find("--help"), std::string::npos) << command.front();
    EXPECT_EQ(result.errors, "") << command.front();
  }
}

}  // namespace
}  // namespace warploom
