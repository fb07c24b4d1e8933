#include <gtest/gtest.h>

#include "refusal.h"
#include "run_warploom.h"

namespace warploom {
namespace {

std::vector<std::string> gemm(std::vector<std::string> more) {
  std::vector<std::string> arguments{"predict", "gemm", "--n", "128", "--k", "128"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(BadOperator, RefusesSizesOutOfRange) {
  expect_refusal(gemm({"--m", "-5", "--gpu", "h100"}), {"--m", "-5", "expected 1"});
  expect_refusal(gemm({"--m", "0", "--gpu", "h100"}), {"--m", "expected 1"});
  expect_refusal(gemm({"--m", "nan", "--gpu", "h100"}), {"--m", "nan", "integer"});
  expect_refusal(gemm({"--m", "99999999999999999999", "--gpu", "h100"}), {"--m"});
}

TEST(BadOperator, RefusesSizesThatOverflowTogetherAndNamesTheLimit) {
  expect_refusal(gemm({"--m", "100000000000", "--gpu", "h100"}), {"--m", "100000000000", "10000000000"});
  expect_refusal({"predict", "gemm", "--gpu", "h100", "--m", "1000000000", "--n", "10000000", "--k", "8"},
                 {"m x n x batch", "1e16 elements", "at most 1e15"});
  expect_refusal({"predict", "moe", "--gpu", "h100", "--tokens", "1", "--experts", "1000000000000"},
                 {"experts", "65536"});
  expect_refusal({"predict", "attention_prefill", "--gpu", "h100", "--heads", "8", "--kv-heads", "1",
                  "--requests", "5000000x1", "--features", "published"},
                 {"list each tile", "5e+06 requests", "at most 1e+06"});
}

TEST(BadOperator, RefusesUnknownNamesWithTheNearest) {
  expect_refusal(gemm({"--m", "1", "--gpu", "H10O-SXM"}), {"did you mean", "H100-SXM"});
  expect_refusal(gemm({"--m", "1", "--gpu", "h100", "--scheme", "nvfp5"}), {"did you mean 'nvfp4'"});
  expect_refusal(gemm({"--m", "1", "--gpu", "h100", "--predictor", "rofline"}), {"'roofline'"});
  expect_refusal(gemm({"--m", "1", "--gpu", "h100", "--framework", "vlm"}), {"--framework", "'vllm'"});
}

TEST(BadOperator, RefusesMissingFiles) {
  expect_refusal(gemm({"--m", "1", "--gpu", "./absent.json"}), {"absent.json", "no such file"});
  expect_refusal(gemm({"--m", "1", "--gpu", "h100", "--predictor", "/absent/folder"}), {"/absent/folder"});
}

TEST(BadOperator, RefusesATypeThatTheGpuCannotRunAndSaysWhichItCan) {
  expect_refusal(gemm({"--m", "1", "--gpu", "v100", "--scheme", "nvfp4"}),
                 {"nvfp4", "it can run: fp32, fp16"});
}

TEST(BadOperator, RefusesFeaturesThatDoNotExist) {
  expect_refusal(gemm({"--m", "1", "--gpu", "h100", "--predictor", "roofline", "--features", "mine"}),
                 {"--features", "published"});
  expect_refusal({"predict", "kv_write", "--tokens", "8", "--kv-heads", "8", "--gpu", "h100", "--predictor",
                  "roofline", "--features", "published"},
                 {"kv_write", "published"});
}

TEST(BadOperator, SaysThatANarrowTypeIsWidened) {
  const ProgramResult result = run_warploom(gemm({"--m", "1", "--gpu", "h100", "--scheme", "nvfp4"}));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("weights are widened"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace warploom
