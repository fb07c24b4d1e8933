#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

std::vector<std::string> simulate(std::vector<std::string> more) {
  std::vector<std::string> arguments{"simulate", "--model", "Qwen/Qwen3-8B", "--gpu", "h100"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Simulate, SaysTheSameTwice) {
  const auto command = simulate({"--workload", "conversation", "--requests", "40", "--rate", "4", "--json"});
  const ProgramResult first = run_warploom(command);
  const ProgramResult second = run_warploom(command);
  EXPECT_EQ(first.exit_status, 0) << first.errors;
  EXPECT_EQ(first.output, second.output);
}

TEST(Simulate, ReadsEveryTraceFormat) {
  const ScratchFolder scratch;
  const std::vector<std::string> traces = {
      scratch.write("own.csv", "arrived_s,input_tokens,output_tokens\n0,100,5\n1,50,8\n"),
      scratch.write("splitwise.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,100,5\n1,50,8\n"),
      scratch.write("azure.csv",
                    "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,100,5\n"
                    "2023-11-16 18:17:04.9799600,50,8\n"),
      scratch.write("mooncake.jsonl",
                    "{\"timestamp\":0,\"input_length\":100,\"output_length\":5,\"hash_ids\":[1]}\n"
                    "{\"timestamp\":1000,\"input_length\":50,\"output_length\":8,\"hash_ids\":[2]}\n")};
  for (const std::string& trace : traces) {
    const ProgramResult result = run_warploom(simulate({"--trace", trace, "--json"}));
    ASSERT_EQ(result.exit_status, 0) << result.errors;
    const auto document = nlohmann::json::parse(result.output);
    EXPECT_EQ(document["completed"], 2) << trace;
    EXPECT_EQ(document["total_input_tokens"], 150) << trace;
    EXPECT_EQ(document["total_output_tokens"], 13) << trace;
    EXPECT_GT(document["mean_ttft_ms"].get<double>(), 0.0) << trace;
  }
}

TEST(Simulate, EveryCommandWritesOneJsonDocument) {
  const std::vector<std::vector<std::string>> commands = {
      {"gpus"},
      {"gpu", "show", "h100"},
      {"models"},
      {"models", "Qwen/Qwen3-8B"},
      {"predict", "gemm", "--m", "64", "--n", "64", "--k", "64", "--gpu", "h100"},
      {"predict", "attention_decode", "--requests", "4x1+2047", "--gpu", "h100"},
      {"step", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--decode", "4x1024"},
      {"static", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--output", "4"},
      simulate({"--workload", "conversation", "--requests", "5", "--details"})};
  for (std::vector<std::string> command : commands) {
    command.push_back("--json");
    const ProgramResult result = run_warploom(command);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_TRUE(nlohmann::json::accept(result.output)) << command[0];
  }
}

}  // namespace
}  // namespace warploom
