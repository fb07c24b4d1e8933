#include "warploom/serving/workload/trace_agents.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/trace_file.h"

namespace warploom {
namespace {

RecordedTrace trace_of(std::string_view text, std::int64_t requests = 0) {
  const auto path = std::filesystem::path(testing::TempDir()) / "warploom_agents" / "agents.jsonl";
  write_file_atomically(path, text);
  return read_trace_file(path, requests);
}

void expect_refused(std::string_view text, const std::string& part) {
  try {
    trace_of(text);
    ADD_FAILURE() << "accepted " << text;
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

// Two branches after the first answer, and a turn that waits for both; out of order in the file.
constexpr std::string_view kTree =
    R"({"request_id": "join", "wait_for": ["left", "right"], "tool_wait_ms": 40, "delay": 2,)"
    R"( "input_length": 900, "output_length": 4})"
    "\n"
    R"({"request_id": "left", "wait_for": ["root"], "delay": 10, "input_length": 700,)"
    R"( "output_length": 3, "hash_ids": [1, 2]})"
    "\n"
    R"({"request_id": "root", "timestamp": 500, "input_length": 600, "output_length": 2, "hash_ids": [1, 3]})"
    "\n"
    R"({"request_id": "right", "wait_for": ["root"], "input_length": 800, "output_length": 200})"
    "\n"
    R"({"request_id": "alone", "timestamp": 400, "input_length": 5, "output_length": 1})"
    "\n";

TEST(AgentTraces, ReadsDynamosTreesInAnyOrder) {
  const RecordedTrace trace = trace_of(kTree);
  EXPECT_EQ(trace.layout, "dynamo_agentic");
  const Workload& workload = trace.workload;
  check_workload(workload);
  ASSERT_EQ(workload.requests.size(), 5u);  // alone, root, left, right, join
  EXPECT_EQ(workload.requests[0].input_tokens, 5);
  EXPECT_EQ(workload.requests[1].arrival, SimTime(100'000'000));
  EXPECT_EQ(workload.requests[2].after, 1);
  EXPECT_EQ(workload.requests[2].delay, SimDuration(10'000'000));
  EXPECT_EQ(workload.requests[3].delay, SimDuration());
  EXPECT_EQ(workload.requests[4].after, 2);
  EXPECT_EQ(workload.requests[4].delay, SimDuration(42'000'000));
  ASSERT_EQ(workload.further_parents.size(), 1u);
  EXPECT_EQ(workload.further_parents[0].parent, 3u);
  EXPECT_EQ(workload.content_of(2)[0].content, workload.content_of(1)[0].content);
}

TEST(AgentTraces, SendsATurnWhenAllThatItWaitsForIsAnswered) {
  const Workload workload = trace_of(kTree).workload;
  const LinearStepPricer pricer({.per_step = milliseconds(2), .per_prompt_token = microseconds(50)});
  ServingConfig config;
  config.num_gpu_blocks_override = 1'000'000;
  const SimulationResult run = simulate(config, workload, pricer);
  EXPECT_EQ(run.metrics.completed, 5);
  EXPECT_EQ(run.requests[2].arrival, run.requests[1].last_token + SimDuration(10'000'000));
  EXPECT_LT(run.requests[2].last_token, run.requests[3].last_token);  // the right branch is the longer one
  EXPECT_EQ(run.requests[4].arrival, run.requests[3].last_token + SimDuration(42'000'000));
}

TEST(AgentTraces, TakesTheFirstRequestsAndNoTurnWithoutItsParents) {
  EXPECT_EQ(trace_of(kTree, 4).workload.requests.size(), 4u);
  check_workload(trace_of(kTree, 4).workload);
}

TEST(AgentTraces, RefusesCirclesAndUnknownNamesWithTheLine) {
  const std::string root = R"({"request_id": "r", "timestamp": 0, "input_length": 5, "output_length": 1})"
                           "\n";
  const auto row = [](const std::string& id, const std::string& waits) {
    return R"({"request_id": ")" + id + R"(", "wait_for": [)" + waits +
           R"(], "input_length": 5, "output_length": 1})" + "\n";
  };
  expect_refused(root + row("a", R"("r", "b")") + row("b", R"("a")"),
                 ":2: 'a' waits for itself, by way of 'b' (line 3), expected a tree");
  expect_refused(root + row("a", R"("a")"), ":2: 'a' waits for itself, expected a tree");
  expect_refused(row("a", R"("b")") + row("b", R"("c")") + row("c", R"("a")"), "waits for itself");
  // What hangs on a circle is not on it.
  expect_refused(row("x", R"("a")") + row("a", R"("b")") + row("b", R"("a")"), ":2: 'a' waits for itself");
  expect_refused(root + row("a", R"("q")"), ":2: waits for 'q', which is the name of no row");
  expect_refused(root + row("r", R"("r")"), ":2: 'r' is the name of line 1 too");
  expect_refused(root + R"({"wait_for": ["r"], "input_length": 5, "output_length": 1})", ":2: 'request_id'");
  expect_refused(root + R"({"request_id": "a", "wait_for": "r", "input_length": 5, "output_length": 1})",
                 ":2: 'wait_for' is no list");
}

constexpr std::string_view kHead =
    R"({"schema": "dynamo.agentic_mooncake", "version": 2, "block_size": 64, "hash_id_scope": "local", "source": {"format": "weka", "digest": ""}})"
    "\n";

TEST(AgentTraces, ReadsDependenciesWithTheirOwnDelays) {
  constexpr std::string_view kPlays =
      R"({"request_id": "a", "play_id": "p", "not_before_ms": 0, "session_id": "s", "model": "m", "input_length": 128, "output_length": 9,)"
      R"( "hash_ids": [1, 2]})"
      "\n"
      R"({"request_id": "b", "play_id": "p", "not_before_ms": 3, "session_id": "s", "model": "m", "input_length": 128, "output_length": 9,)"
      R"( "hash_ids": [1, 3], "dependencies": [{"request_id": "a", "trigger": "dispatch", "delay_ms": 3,)"
      R"( "relation": "spawn"}]})"
      "\n"
      R"({"request_id": "c", "play_id": "p", "not_before_ms": 9, "session_id": "s", "model": "m", "input_length": 128, "output_length": 9,)"
      R"( "hash_ids": [1, 2], "dependencies": [{"request_id": "a", "trigger": "completion", "delay_ms": 5,)"
      R"( "relation": "sequence"}, {"request_id": "b", "trigger": "completion", "delay_ms": 0}]})"
      "\n"
      R"({"request_id": "z", "play_id": "q", "not_before_ms": 0, "session_id": "s", "model": "m", "input_length": 128, "output_length": 9,)"
      R"( "hash_ids": [1, 2]})"
      "\n";
  const RecordedTrace trace = trace_of(std::string(kHead) + std::string(kPlays));
  EXPECT_FALSE(trace.workload.timed);
  const Workload& workload = trace.workload;
  EXPECT_TRUE(workload.requests[1].from_sending);
  EXPECT_EQ(workload.content_of(0).size(), 2u);  // two blocks of 64
  EXPECT_EQ(workload.content_of(1)[0].content, workload.content_of(0)[0].content);
  EXPECT_NE(workload.content_of(3)[0].content, workload.content_of(0)[0].content);  // of another play
  const LinearStepPricer pricer({.per_step = milliseconds(20)});
  ServingConfig config;
  config.num_gpu_blocks_override = 10'000;
  const SimulationResult run = simulate(config, workload, pricer);
  EXPECT_EQ(run.requests[1].arrival, run.requests[0].arrival + SimDuration(3'000'000));
  EXPECT_EQ(run.requests[2].arrival,
            std::max(run.requests[0].last_token + SimDuration(5'000'000), run.requests[1].last_token));
  expect_refused(R"({"schema": "dynamo.agentic_mooncake", "version": 7, "block_size": 64})", "of version 7");
  expect_refused(
      std::string(kHead) +
          R"({"request_id": "b", "play_id": "p", "input_length": 1, "output_length": 9, "dependencies": [{"request_id": "a", "trigger": "later"}]})",
      ":2: 'trigger' is 'later'");
}

TEST(AgentTraces, ReadsBailiansConversations) {
  const RecordedTrace trace = trace_of(
      R"({"chat_id": 7, "parent_chat_id": 3, "timestamp": 61.0, "input_length": 40, "output_length": 5,)"
      R"( "type": "text", "turn": 2, "hash_ids": [8, 9, 10]})"
      "\n"
      R"({"chat_id": 8, "parent_chat_id": 7, "timestamp": 63.5, "input_length": 60, "output_length": 5,)"
      R"( "type": "text", "turn": 3, "hash_ids": [8, 9, 11, 12]})"
      "\n"
      R"({"chat_id": 9, "parent_chat_id": 7, "timestamp": 64.0, "input_length": 60, "output_length": 5,)"
      R"( "type": "text", "turn": 3, "hash_ids": [8, 9, 11, 13]})"
      "\n");
  EXPECT_EQ(trace.layout, "bailian");
  const Workload& workload = trace.workload;
  EXPECT_EQ(workload.requests[0].after, -1);  // its parent came before the recording
  EXPECT_EQ(workload.requests[1].after, 0);
  EXPECT_EQ(workload.requests[2].after, 0);
  EXPECT_EQ(workload.requests[2].delay, SimDuration(3'000'000'000));
  EXPECT_EQ(workload.content_of(1)[0].tokens, 16);
}

TEST(AgentTraces, ReadsToolCalls) {
  const std::string head = R"({"num_turns": 2, "input_prompt_length": 100, "assistant_response_length": )";
  const RecordedTrace trace = trace_of(
      head +
      R"([10, 20], "tool_call_output_length": [5, 6], "tool_call_latency": [0.5, 2], "final_assistant_response_length": 30})");
  const auto& requests = trace.workload.requests;
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[1].input_tokens, 115);
  EXPECT_EQ(requests[2].input_tokens, 141);
  EXPECT_EQ(requests[2].output_tokens, 30);
  EXPECT_EQ(requests[2].delay, SimDuration(2'000'000'000));
  EXPECT_FALSE(trace.workload.timed);
  expect_refused(
      head +
          R"([10], "tool_call_output_length": [5, 6], "tool_call_latency": [0.5, 2], "final_assistant_response_length": 30})",
      "'assistant_response_length' is no list of 2 numbers");
}

TEST(AgentTraces, TurnsWithoutADelayKeepTheirRecordedDistance) {
  const Workload workload =
      trace_of(
          R"({"session_id": "s", "timestamp": 1000, "input_length": 5, "output_length": 1}
{"session_id": "s", "timestamp": 3500, "input_tokens": 9, "output_tokens": 2}
{"session_id": "s", "delay_ms": 7, "input_length": 12, "output_length": 1}
)")
          .workload;
  EXPECT_EQ(workload.requests[1].delay, SimDuration(2'500'000'000));
  EXPECT_EQ(workload.requests[1].input_tokens, 9);
  EXPECT_EQ(workload.requests[2].delay, SimDuration(7'000'000));
}

TEST(AgentTraces, KnowSmallerBlocksByTheNumberOfTheirIds) {
  const Workload workload =
      trace_of(
          R"({"timestamp": 0, "input_length": 100, "output_length": 1, "hash_ids": [1, 2, 3, 4, 5, 6, 7]}
{"timestamp": 1, "input_length": 1000, "output_length": 1, "hash_ids": [1, 2]}
)")
          .workload;
  EXPECT_EQ(workload.content_of(0)[0].tokens, 16);
  EXPECT_EQ(workload.content_of(1)[0].tokens, 512);
}

}  // namespace
}  // namespace warploom
