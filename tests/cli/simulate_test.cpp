#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "refusal.h"
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
      {"predict", "attention_decode", "--heads", "32", "--kv-heads", "8", "--requests", "4x1+2047", "--gpu",
       "h100"},
      {"step", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--decode", "4x1024"},
      {"static", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--input", "9", "--output", "4"},
      simulate({"--workload", "conversation", "--requests", "5", "--details"})};
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--json");
    const ProgramResult result = run_warploom(command);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_TRUE(nlohmann::json::accept(result.output)) << command[0];
  }
}

TEST(Simulate, TakesAConversationWhenNothingIsNamed) {
  const ProgramResult result = run_warploom(simulate({"--num-prompts", "5", "--json"}));
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.errors.find("--workload conversation"), std::string::npos) << result.errors;
  const auto document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document["workload"], "conversation");
  EXPECT_EQ(document["num_prompts"], 5);
  EXPECT_EQ(document["max_concurrency"], nullptr);
}

// As `vllm bench serve` would run with the same words.
TEST(Simulate, ReadsTheWordsOfTheEnginesBenchmark) {
  const auto run = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--json", "--details", "--no-intervals"});
    const ProgramResult result = run_warploom(simulate(more));
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  };
  const auto burst = run({"--random-input-len", "300", "--num-prompts", "40"});
  EXPECT_EQ(burst["request_rate"], "inf");
  EXPECT_EQ(burst["total_input_tokens"], 40 * 300);
  EXPECT_EQ(burst["total_output_tokens"], 40 * 128);
  for (const auto& start : burst["start_times"]) EXPECT_EQ(start.get<double>(), 0);
  const auto paced = run({"--random-output-len", "20", "--random-range-ratio", "0.5", "--num-prompts", "50",
                          "--request-rate", "10"});
  EXPECT_EQ(paced["request_rate"], 10);
  EXPECT_NEAR(paced["start_times"].back().get<double>(), 5, 1e-6);
  EXPECT_GT(paced["start_times"].front().get<double>(), 0);
  for (const auto& length : paced["input_lens"]) EXPECT_NEAR(length.get<double>(), 1024, 512);
  const auto capped =
      run({"--workload", "random", "--num-prompts", "50", "--request-rate", "200", "--max-concurrency", "4"});
  EXPECT_LE(capped["max_concurrent_requests"], 4);
  EXPECT_EQ(capped["max_concurrency"], 4);
}

TEST(Simulate, RefusesTwoWordsForOneThing) {
  expect_refusal(simulate({"--rate", "3", "--request-rate", "3"}), {"--request-rate", "exclude"});
  expect_refusal(simulate({"--requests", "3", "--num-prompts", "3"}), {"--num-prompts", "the same"});
  expect_refusal(simulate({"--request-rate", "fast"}), {"--request-rate", "'fast'", "inf"});
  expect_refusal(simulate({"--concurrency", "3", "--max-concurrency", "3"}), {"--max-concurrency"});
  expect_refusal(simulate({"--turns", "3"}), {"--turns", "--sessions"});
  expect_refusal(simulate({"--random-range-ratio", "1"}),
                 {"--random-range-ratio", "'random_range_ratio' is 1"});
}

TEST(Simulate, SaysWhichVersionIsPriced) {
  const ProgramResult result =
      run_warploom(simulate({"--num-prompts", "5", "--engine-version", "9.9.9", "--json"}));
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const std::string engine = nlohmann::json::parse(result.output)["engine"];
  EXPECT_NE(engine.find("9.9.9 (never measured: kernels of "), std::string::npos) << engine;
  EXPECT_NE(engine.find("; not in the engine's table: defaults of "), std::string::npos) << engine;
  expect_refusal(simulate({"--engine-version", "newest"}), {"--engine-version", "'newest'"});
}

TEST(Simulate, RefusesWhatIsNotModelled) {
  expect_refusal(simulate({"--kv-offloading-size", "9", "--kv-offloading-backend", "lmcache"}),
                 {"kv_offloading_backend", "lmcache", "not modelled"});
  expect_refusal(simulate({"--engine", "sglang", "--speculative-algorithm", "EAGLE", "--acceptance-length",
                           "2", "--speculative-eagle-topk", "4"}),
                 {"speculative_eagle_topk 4", "not modelled"});
  expect_refusal(simulate({"--moe-backend", "triton"}), {"moe_backend", "has not"});
  expect_refusal(
      {"step", "--model", "Qwen/Qwen3-8B", "--gpu", "h100", "--decode", "4x99", "--instances", "2"},
      {"--instances", "not modelled by `step`", "simulate"});
  expect_refusal({"step", "--model", "gpt-oss-20b", "--gpu", "h100", "--decode", "4x99", "--engine", "sglang",
                  "--moe-runner-backend", "flashinfer_trtllm"},
                 {"moe_runner_backend", "flashinfer_trtllm", "not modelled"});
}

}  // namespace
}  // namespace warploom
