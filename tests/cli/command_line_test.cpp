#include <gtest/gtest.h>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

TEST(CommandLine, RefusesAWordThatIsNoNumber) {
  expect_refusal({"predict", "gemm", "--m", "abc", "--gpu", "h100"}, {"--m", "abc", "integer"});
  expect_refusal({"static", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--batch", "1e3", "--input", "9",
                  "--output", "9"},
                 {"--batch", "1e3", "expected it in digits: 1000"});
}

TEST(CommandLine, SaysWhatWasExpectedOfASizeInExponentForm) {
  expect_refusal({"predict", "gemm", "--m", "1e11", "--gpu", "h100"},
                 {"--m", "'1e11'", "expected it in digits: 100000000000"});
  expect_refusal({"predict", "gemm", "--m", "1.55e1", "--gpu", "h100"},
                 {"--m", "'1.55e1'", "expected a whole number in digits"});
  expect_refusal({"simulate", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--num-prompts", "1e3"},
                 {"--num-prompts", "'1e3'", "expected it in digits: 1000"});
  expect_refusal({"simulate", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--request-rate", "often"},
                 {"--request-rate", "'often'", "expected"});
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
  expect_refusal({"help", "simulat"}, {"'simulat' is no command", "did you mean 'simulate'"});
  expect_refusal({"gpu", "H100"}, {"'H100' is no command", "gpu: ", "show H100"});
  expect_refusal({"gpus", "H100"}, {"'H100' was not expected", "`warploom gpu show H100`"});
  expect_refusal({"predict", "gem"}, {"'gem' is no operator", "did you mean 'gemm'"});
  expect_refusal({"predict"}, {"an operator is missing", "gemm"});
  expect_refusal({"plan", "--model", "Llama-3.1-8B", "--gpus", "H100", "--emit", "k8s", "--outpt", "deploy"},
                 {"--outpt is no option of this command", "did you mean '--output'"});
}

// What a newcomer types first.
TEST(CommandLine, ShowsExamplesBeforeAnythingIsAsked) {
  const ProgramResult bare = run_warploom({}), asked = run_warploom({"--help"});
  EXPECT_EQ(bare.exit_status, 0);
  EXPECT_EQ(bare.errors, "");
  EXPECT_EQ(bare.output, asked.output);
  EXPECT_EQ(bare.output, run_warploom({"help"}).output);
  std::size_t examples = 0;
  for (std::size_t at = 0; (at = bare.output.find("\n  warploom ", at)) != std::string::npos; ++at)
    ++examples;
  EXPECT_EQ(examples, 3U) << bare.output;
  EXPECT_LT(bare.output.find("Examples:"), bare.output.find("simulate    "));
}

TEST(CommandLine, HelpOfARunIsGroupedAndTyped) {
  const std::string help = run_warploom({"simulate", "--help"}).output;
  std::size_t last = 0;
  for (const char* heading :
       {"\nModel and GPU:", "\nWorkload:", "\nParallelism:", "\nEngine:", "\nOutput:"}) {
    const std::size_t at = help.find(heading);
    ASSERT_NE(at, std::string::npos) << heading;
    EXPECT_GT(at, last) << heading;
    last = at;
  }
  EXPECT_EQ(help.find("TEXT"), std::string::npos);
  EXPECT_NE(help.find("--max-num-seqs INTEGER"), std::string::npos);
  EXPECT_NE(help.find("--random-input-len INTEGER"), std::string::npos);
  EXPECT_NE(help.find("default 1024"), std::string::npos);
}

TEST(CommandLine, NamesWhatANewcomerForgets) {
  expect_refusal({"simulate", "--model", "Llama-3.1-8B"}, {"--gpu is required", "--gpu H100-SXM"});
  expect_refusal({"simulate", "Llama-3.1-8B", "--gpu", "h100"}, {"'Llama-3.1-8B'", "--model NAME"});
  expect_refusal({"simulate", "--modle", "Llama-3.1-8B"}, {"--modle", "did you mean '--model'"});
  expect_refusal({"predict", "gemm", "--gpu", "h100", "--m", "4", "--k"}, {"--k has no value"});
  expect_refusal({"predict", "gemm", "--gpu", "h100"}, {"--m, --n, --k are missing", "no default"});
  expect_refusal({"predict", "attention_prefill", "--gpu", "h100", "--batch", "4"}, {"--tokens is missing"});
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
    command.emplace_back("--help");
    const ProgramResult result = run_warploom(command);
    EXPECT_EQ(result.exit_status, 0) << command.front();
    EXPECT_NE(result.output.find("--help"), std::string::npos) << command.front();
    EXPECT_EQ(result.errors, "") << command.front();
  }
}

}  // namespace
}  // namespace warploom
