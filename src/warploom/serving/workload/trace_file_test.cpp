#include "warploom/serving/workload/trace_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "warploom/base/error.h"
#include "warploom/base/file.h"

namespace warploom {
namespace {

std::filesystem::path file_with(std::string_view name, std::string_view text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "warploom_traces" / name;
  write_file_atomically(path, text);
  return path;
}

void expect_refused(std::string_view name, std::string_view text, const std::string& part) {
  try {
    read_trace_file(file_with(name, text));
    ADD_FAILURE() << "accepted " << text;
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(TraceFile, ReadsEveryCsvLayout) {
  const TraceFile own =
      read_trace_file(file_with("own.csv", "arrived_s,input_tokens,output_tokens\n1.5,10,2\n2,7,3\n"));
  EXPECT_EQ(own.layout, "warploom");
  EXPECT_EQ(own.workload.requests[0].arrival, SimTime());
  EXPECT_EQ(own.workload.requests[1].arrival, SimTime(500'000'000));
  EXPECT_EQ(own.workload.requests[1].input_tokens, 7);

  const TraceFile splitwise =
      read_trace_file(file_with("s.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,374,44\n"));
  EXPECT_EQ(splitwise.layout, "splitwise");
  EXPECT_EQ(splitwise.workload.requests[0].output_tokens, 44);

  const TraceFile azure = read_trace_file(
      file_with("a.csv",
                "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 23:59:59.9999999,374,44\n"
                "2023-11-17 00:00:01.0000001+00:00,1,2\n"));
  EXPECT_EQ(azure.layout, "azure");
  EXPECT_EQ(azure.workload.requests[1].arrival.nanoseconds(), 1'000'000'200);

  const TraceFile untimed =
      read_trace_file(file_with("u.csv", "num_prefill_tokens,num_decode_tokens\n3,4\n5,6\n"));
  EXPECT_FALSE(untimed.workload.timed);
}

TEST(TraceFile, ReadsJsonLines) {
  const TraceFile mooncake = read_trace_file(
      file_with("m.jsonl",
                "{\"timestamp\": 0, \"input_length\": 6755, \"output_length\": 500, \"hash_ids\": [1]}\n\n"
                "{\"timestamp\": 3052, \"input_length\": 7, \"output_length\": 5}\n"));
  EXPECT_EQ(mooncake.layout, "mooncake");
  EXPECT_EQ(mooncake.workload.requests[1].arrival.nanoseconds(), 3'052'000'000);
  const TraceFile other = read_trace_file(
      file_with("l.jsonl", "{\"input_toks\": 5, \"output_toks\": 6, \"arrival_time_ns\": 17}"));
  EXPECT_EQ(other.layout, "llmservingsim");
}

TEST(TraceFile, NamesTheLineOfWhatIsWrong) {
  const std::string head = "arrived_s,input_tokens,output_tokens\n";
  expect_refused("e.csv", head, "no requests");
  expect_refused("o.csv", head + "2,10,2\n1,10,2\n", ":3: arrives 1 s before");
  expect_refused("n.csv", head + "0,10,2\n1,-10,2\n", ":3: -10 input tokens");
  expect_refused("z.csv", head + "0,10,0\n", ":2: 0 output tokens");
  expect_refused("t.csv", head + "-4,10,1\n", ":2: column 'arrived_s'");
  expect_refused("nan.csv", head + "nan,10,1\n", ":2");
  expect_refused("d.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-13-16 18:15:46,374,44\n",
                 "expected a time like");
  expect_refused("c.csv", "when,tokens\n1,2\n", "no known trace layout");
  expect_refused("m.jsonl", "{\"timestamp\": 0, \"input_length\": 5}\n", ":1: 'output_length' is missing");
  expect_refused("b.jsonl", "{\"timestamp\": 0,\n", ":1");
}

TEST(TraceFile, ReadsTheSharedTracesAndRuns) {
  const char* root = std::getenv("WARPLOOM_DATA");
  const std::filesystem::path data = root != nullptr
                                         ? std::filesystem::path(root)
                                         : std::filesystem::path(WARPLOOM_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(data / "traces")) GTEST_SKIP() << "no shared data at " << data;
  const TraceFile conversation = read_trace_file(data / "traces/splitwise_conv.csv.gz");
  EXPECT_EQ(conversation.workload.requests.size(), 19366u);
  EXPECT_NEAR(arrival_rate(conversation.workload), 5.53, 0.01);
  const TraceFile run = read_trace_file(data / "serving_truth/vllm0.19_RTXPRO6000_Llama-3.1-8B.csv.gz");
  EXPECT_EQ(run.workload.requests.size(), 300u);
}

}  // namespace
}  // namespace warploom
