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

TEST(RecordedTrace, ReadsEveryCsvLayout) {
  const RecordedTrace own =
      read_trace_file(file_with("own.csv", "arrived_s,input_tokens,output_tokens\n1.5,10,2\n2,7,3\n"));
  EXPECT_EQ(own.layout, "warploom");
  EXPECT_EQ(own.workload.requests[0].arrival, SimTime());
  EXPECT_EQ(own.workload.requests[1].arrival, SimTime(500'000'000));
  EXPECT_EQ(own.workload.requests[1].input_tokens, 7);

  const RecordedTrace splitwise =
      read_trace_file(file_with("s.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,374,44\n"));
  EXPECT_EQ(splitwise.layout, "splitwise");
  EXPECT_EQ(splitwise.workload.requests[0].output_tokens, 44);

  const RecordedTrace azure = read_trace_file(
      file_with("a.csv",
                "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 23:59:59.9999999,374,44\n"
                "2023-11-17 00:00:01.0000001+00:00,1,2\n"));
  EXPECT_EQ(azure.layout, "azure");
  EXPECT_EQ(azure.workload.requests[1].arrival.nanoseconds(), 1'000'000'200);

  const RecordedTrace untimed =
      read_trace_file(file_with("u.csv", "num_prefill_tokens,num_decode_tokens\n3,4\n5,6\n"));
  EXPECT_FALSE(untimed.workload.timed);
}

TEST(RecordedTrace, ReadsJsonLines) {
  const RecordedTrace mooncake = read_trace_file(
      file_with("m.jsonl",
                "{\"timestamp\": 0, \"input_length\": 6755, \"output_length\": 500, \"hash_ids\": [1]}\n\n"
                "{\"timestamp\": 3052, \"input_length\": 7, \"output_length\": 5}\n"));
  EXPECT_EQ(mooncake.layout, "mooncake");
  EXPECT_EQ(mooncake.workload.requests[1].arrival.nanoseconds(), 3'052'000'000);
  const RecordedTrace other = read_trace_file(
      file_with("l.jsonl", "{\"input_toks\": 5, \"output_toks\": 6, \"arrival_time_ns\": 17}"));
  EXPECT_EQ(other.layout, "llmservingsim");
}

TEST(RecordedTrace, NamesTheLineOfWhatIsWrong) {
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

TEST(RecordedTrace, ReadsShareGptConversations) {
  const std::string prompt(420, 'a'), answer(84, 'b'), longer(9000, 'c');
  std::string text = "[";
  const auto say = [&text](const std::string& human, const std::string& gpt) {
    text.append(R"({"id": "x", "conversations": [{"from": "human", "value": ")").append(human);
    text.append(R"("}, {"from": "gpt", "value": ")").append(gpt);
    text.append(R"("}, {"from": "human", "value": "more"}]},)");
  };
  say(prompt, answer);
  say(longer, answer);
  say("hi", answer);
  text.append(R"({"id": "y", "conversations": []}])");
  const RecordedTrace trace = read_trace_file(file_with("sharegpt.json", text));
  EXPECT_EQ(trace.layout, "sharegpt");
  EXPECT_FALSE(trace.workload.timed);
  ASSERT_EQ(trace.workload.requests.size(), 1u);
  EXPECT_EQ(trace.workload.requests[0].input_tokens, 100);
  EXPECT_EQ(trace.workload.requests[0].output_tokens, 20);
  expect_refused("s.json", R"([{"conversations": [{"from": "human"}, {"value": "x"}]}])", "conversation 0");
  expect_refused("l.json", R"([{"id": 1}])", "has no list 'conversations'");
}

TEST(RecordedTrace, ReadsAResultOfVllmBench) {
  const RecordedTrace trace = read_trace_file(file_with(
      "bench.json",
      R"({"input_lens": [10, 20, 30], "output_lens": [5, 0, 7], "start_times": [101.0, 100.5, 100.0]})"));
  EXPECT_EQ(trace.layout, "vllm_bench");
  ASSERT_EQ(trace.workload.requests.size(), 2u);  // the failed one is left out
  EXPECT_EQ(trace.workload.requests[0].input_tokens, 30);
  EXPECT_EQ(trace.workload.requests[1].arrival, SimTime(1'000'000'000));
  EXPECT_FALSE(
      read_trace_file(file_with("b.json", R"({"input_lens": [1], "output_lens": [2]})")).workload.timed);
  expect_refused("o.json", R"({"input_lens": [10], "output_lens": []})", "expected as many of both");
  expect_refused("n.json", R"({"input_lens": [10], "output_lens": [1], "start_times": [1, 2]})",
                 "2 start_times");
  expect_refused("w.json", R"({"throughput": 1})", "no known workload");
}

TEST(RecordedTrace, ReadsSessionsAndTokensOfLlmServingSim) {
  const RecordedTrace trace = read_trace_file(file_with(
      "sim.jsonl",
      R"({"arrival_time_ns": 5, "sub_requests": [{"input_toks": 20, "output_toks": 3, "tool_duration_ns": 700},)"
      R"( {"input_toks": 40, "output_toks": 4}]})"
      "\n"
      R"({"arrival_time_ns": 9, "input_toks": 2, "output_toks": 1, "input_tok_ids": [7, 8], "priority": 3})"
      "\n"));
  EXPECT_EQ(trace.layout, "llmservingsim");
  ASSERT_EQ(trace.workload.requests.size(), 3u);
  EXPECT_EQ(trace.workload.requests[1].after, 0);
  EXPECT_EQ(trace.workload.requests[1].delay, SimDuration(700));
  EXPECT_EQ(trace.workload.requests[2].arrival, SimTime(4));
  EXPECT_EQ(trace.workload.requests[2].priority, 3);
  EXPECT_EQ(trace.workload.content_of(2).size(), 1u);
  const std::string head = R"({"arrival_time_ns": 5, "input_toks": 2, "output_toks": 1, "input_tok_ids": )";
  expect_refused("t.jsonl", head + "[1]}\n", "1 'input_tok_ids', expected one for each of 2 tokens");
  expect_refused("q.jsonl", R"({"arrival_time_ns": 5, "sub_requests": 3})", "'sub_requests' is no list");
}

TEST(RecordedTrace, ReadsPriorities) {
  const RecordedTrace trace = read_trace_file(
      file_with("p.csv", "arrived_s,input_tokens,output_tokens,priority\n0,10,2,-1\n1,10,2,4\n"));
  EXPECT_EQ(trace.workload.requests[0].priority, -1);
  EXPECT_EQ(trace.workload.requests[1].priority, 4);
}

TEST(RecordedTrace, ReadsTheSharedTracesAndRuns) {
  const char* root = std::getenv("WARPLOOM_DATA");
  const std::filesystem::path data = root != nullptr
                                         ? std::filesystem::path(root)
                                         : std::filesystem::path(WARPLOOM_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(data / "traces")) GTEST_SKIP() << "no shared data at " << data;
  const RecordedTrace conversation = read_trace_file(data / "traces/splitwise_conv.csv.gz");
  EXPECT_EQ(conversation.workload.requests.size(), 19366u);
  EXPECT_NEAR(arrival_rate(conversation.workload), 5.53, 0.01);
  const RecordedTrace run = read_trace_file(data / "serving_truth/vllm0.19_RTXPRO6000_Llama-3.1-8B.csv.gz");
  EXPECT_EQ(run.workload.requests.size(), 300u);
}

}  // namespace
}  // namespace warploom
