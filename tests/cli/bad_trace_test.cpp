#include <gtest/gtest.h>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

constexpr const char* kHeader = "arrived_at,num_prefill_tokens,num_decode_tokens\n";

std::vector<std::string> simulate(std::vector<std::string> more) {
  std::vector<std::string> arguments{"simulate", "--model", "Qwen/Qwen3-8B", "--gpu", "h100"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void refuse_trace(const std::string& rows, const std::vector<std::string>& words) {
  const ScratchFolder scratch;
  expect_refusal(simulate({"--trace", scratch.write("trace.csv", kHeader + rows)}), words);
}

TEST(BadTrace, RefusesARequestBeforeTheOneAboveIt) {
  refuse_trace("1.0,100,10\n0.5,200,20\n", {"trace.csv:3", "expected arrivals in order"});
}

TEST(BadTrace, RefusesAnEmptyTrace) {
  refuse_trace("", {"trace.csv", "no requests, expected at least one"});
  const ScratchFolder scratch;
  expect_refusal(simulate({"--trace", scratch.write("trace.csv", "")}), {"trace.csv", "empty"});
  expect_refusal(simulate({"--trace", scratch.write("trace.jsonl", "")}), {"trace.jsonl", "no requests"});
}

TEST(BadTrace, RefusesNumbersThatAreNone) {
  refuse_trace("nan,100,10\n", {"trace.csv:2", "'arrived_at'", "nan"});
  refuse_trace("0,nan,10\n", {"trace.csv:2", "'num_prefill_tokens'", "nan"});
  refuse_trace("0,-5,10\n", {"trace.csv:2", "-5 input tokens"});
  refuse_trace("0,5\n", {"trace.csv:2", "2 cells, expected 3"});
}

TEST(BadTrace, RefusesARequestLongerThanTheModelTakes) {
  refuse_trace("0,5000000,10\n", {"5000000", "max_model_len", "40960"});
}

TEST(BadTrace, RefusesUnknownColumnsAndBrokenJson) {
  const ScratchFolder scratch;
  expect_refusal(simulate({"--trace", scratch.write("trace.csv", "when,prompt\n0,1\n")}),
                 {"trace.csv", "when,prompt", "num_prefill_tokens"});
  expect_refusal(simulate({"--trace", scratch.write("trace.jsonl", "{\"timestamp\":0,\n")}),
                 {"trace.jsonl:1", "not valid JSON"});
}

TEST(BadTrace, RefusesAgentsThatWaitForThemselves) {
  const ScratchFolder scratch;
  const std::string rest = R"(, "input_length": 5, "output_length": 1})"
                           "\n";
  const std::string rows =
      R"({"request_id": "a", "wait_for": ["b"])" + rest + R"({"request_id": "b", "wait_for": ["a"])" + rest;
  expect_refusal(simulate({"--trace", scratch.write("agents.jsonl", rows)}),
                 {"agents.jsonl:1", "'a' waits for itself, by way of 'b' (line 2)"});
}

TEST(BadTrace, KeepsOneLineWhenTheFileHoldsControlBytes) {
  const ScratchFolder scratch;
  expect_refusal(simulate({"--trace", scratch.write("trace.csv", "\"a\nb\x1b[31m\",c\n0,1\n")}),
                 {"trace.csv"});
}

TEST(BadTrace, RefusesWorkloadsThatCannotBe) {
  expect_refusal(simulate({"--trace", "absent.csv"}), {"absent.csv", "no such file"});
  expect_refusal(simulate({"--workload", "conversaton"}), {"did you mean 'conversation'"});
  expect_refusal(simulate({"--workload", "conversation", "--requests", "0"}), {"--requests is 0"});
  expect_refusal(simulate({"--workload", "conversation", "--rate", "nan"}), {"--rate is nan"});
  expect_refusal(simulate({"--workload", "conversation", "--concurrency", "0"}), {"--concurrency is 0"});
}

}  // namespace
}  // namespace warploom
