#include "warploom/app/runs/client_result.h"

#include <gtest/gtest.h>

#include "warploom/app/runs/client_fixture_test.h"
#include "warploom/base/file.h"

namespace warploom {
namespace {

constexpr double kExact = 1e-9;  // s

void expect_times(const RealRequest& request, double sent, double first, double last) {
  EXPECT_NEAR(request.queued, sent, kExact);
  EXPECT_NEAR(request.first_token, first, kExact);
  EXPECT_NEAR(request.last_token, last, kExact);
  EXPECT_FALSE(request.scheduled.has_value());
}

TEST(VllmBenchResult, GivesTheCompletedRequestsInOrder) {
  const MeasuredRequests read = read_measured_requests(client_fixture("vllm_bench.json"));
  ASSERT_TRUE(read.client.has_value());
  EXPECT_EQ(read.client->generator, "vllm bench serve");
  EXPECT_EQ(read.client->layout, "vllm_bench");
  EXPECT_EQ(read.client->replay, Replay::ClosedLoop);
  EXPECT_EQ(read.client->max_concurrency, 2);
  EXPECT_EQ(read.client->failed, 1);
  ASSERT_EQ(read.requests.size(), 4u);
  expect_times(read.requests[0], 0, 0.05, 0.08);
  expect_times(read.requests[1], 0.001, 0.061, 0.101);
  expect_times(read.requests[3], 0.164, 0.244, 0.284);
  EXPECT_EQ(read.requests[3].input_tokens, 400);
  EXPECT_EQ(read.requests[3].output_tokens, 4);
}

TEST(VllmBenchResult, RefusesWhatIsMissingOrDoesNotFit) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& part, const std::function<void(Json&)>& change) {
    expect_requests_refused(changed_fixture(folder, "vllm_bench.json", change), part);
  };
  for (const char* key : {"input_lens", "output_lens", "ttfts", "itls"})
    refused(std::string("'") + key + "' is missing, expected a result of vllm bench serve",
            [&](Json& document) { document.erase(key); });
  for (const char* key : {"output_lens", "ttfts", "itls", "start_times", "queue_times", "errors"})
    refused(std::string("4 ") + key + ", expected 5", [&](Json& document) { document[key].erase(4); });
  refused("request 1: 'ttfts' is -0.5", [](Json& document) { document["ttfts"][1] = -0.5; });
  refused("request 1: 'ttfts' is 0", [](Json& document) { document["ttfts"][1] = 0; });
  refused("request 2: 'itls' is -1", [](Json& document) { document["itls"][2][0] = -1; });
  refused("request 2: 'itls' is no list", [](Json& document) { document["itls"][2] = 1; });
  refused("'start_times' is \"x\"", [](Json& document) { document["start_times"][0] = "x"; });
  refused("'input_lens' is 1.5", [](Json& document) { document["input_lens"][0] = 1.5; });
  refused("a prompt of 0 tokens", [](Json& document) { document["input_lens"][0] = 0; });
  refused("'output_lens' is 2000000000", [](Json& document) { document["output_lens"][0] = 2000000000; });
  refused("ends 1000000000", [](Json& document) { document["start_times"][4] = 1e9 + 5000; });
  refused("no request completed (5 failed", [](Json& document) {
    document["output_lens"] = Json::array({0, 0, 0, 0, 0});
  });
  refused("max_concurrency is 0", [](Json& document) { document["max_concurrency"] = 0; });
  refused("request 1 was sent at 0.001 s while 1 others were in flight",
          [](Json& document) { document["max_concurrency"] = 1; });
}

TEST(VllmBenchResult, AsksForTheDetailsOfASummary) {
  const ScratchFolder folder;
  const auto summary = changed_fixture(folder, "vllm_bench.json", [](Json& document) {
    for (const char* key : {"input_lens", "output_lens", "start_times", "ttfts", "itls", "generated_texts"})
      document.erase(key);
  });
  expect_requests_refused(summary, "with save-detailed");
}

TEST(AiperfRecords, LeavesOutTheWarmUpAndWhatFailed) {
  const MeasuredRequests read = read_measured_requests(client_fixture("profile_export.jsonl"));
  EXPECT_EQ(read.client->generator, "AIPerf");
  EXPECT_EQ(read.client->replay, Replay::Arrivals);
  EXPECT_EQ(read.client->warm_up, 1);
  EXPECT_EQ(read.client->failed, 1);
  ASSERT_EQ(read.requests.size(), 3u);
  expect_times(read.requests[0], 0, 0.05, 0.08);
  expect_times(read.requests[1], 0.1, 0.16, 0.2);
  expect_times(read.requests[2], 0.4, 0.47, 0.48);
  EXPECT_EQ(read.requests[1].input_tokens, 200);
  EXPECT_EQ(read.requests[1].output_tokens, 3);
}

// One record of AIPerf, changed.
std::string aiperf_record(const std::function<void(Json&)>& change = [](Json&) {}) {
  Json record = Json::parse(R"({"metadata": {"request_start_ns": 5000000000, "benchmark_phase": "profiling"},
      "metrics": {"input_sequence_length": {"value": 100, "unit": "tokens"},
                  "output_sequence_length": {"value": 5, "unit": "tokens"},
                  "time_to_first_token": {"value": 50, "unit": "ms"},
                  "request_latency": {"value": 0.1, "unit": "s"}}})");
  change(record);
  return record.dump() + "\n";
}

TEST(AiperfRecords, ReadsUnitsAndASingleRecord) {
  const ScratchFolder folder;
  const MeasuredRequests one = read_measured_requests(folder.write("one.jsonl", aiperf_record()));
  expect_times(one.requests.at(0), 0, 0.05, 0.1);
}

TEST(AiperfRecords, RefusesWhatIsMissingOrDoesNotFit) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& part, const std::function<void(Json&)>& change) {
    expect_requests_refused(folder.write("r.jsonl", aiperf_record() + "\n" + aiperf_record(change)), part);
  };
  refused(":3: 'metadata' is missing", [](Json& record) { record.erase("metadata"); });
  refused(":3: 'metrics' is missing", [](Json& record) { record.erase("metrics"); });
  refused("'request_start_ns' is missing",
          [](Json& record) { record["metadata"].erase("request_start_ns"); });
  refused("'request_start_ns' is -1", [](Json& record) { record["metadata"]["request_start_ns"] = -1; });
  refused("ends 1000000000",
          [](Json& record) { record["metadata"]["request_start_ns"] = 1000000005000000000; });
  refused("'turn_index' is above 0", [](Json& record) { record["metadata"]["turn_index"] = 1; });
  for (const char* name : {"input_sequence_length", "output_sequence_length", "request_latency"})
    refused(std::string("metric '") + name + "' is missing",
            [&](Json& record) { record["metrics"].erase(name); });
  refused("a run that streams", [](Json& record) { record["metrics"].erase("time_to_first_token"); });
  refused("has the unit \"min\"", [](Json& record) { record["metrics"]["request_latency"]["unit"] = "min"; });
  refused("has the unit null", [](Json& record) { record["metrics"]["request_latency"].erase("unit"); });
  refused("'request_latency' is below",
          [](Json& record) { record["metrics"]["request_latency"]["value"] = 0; });
  refused("'time_to_first_token' is -50",
          [](Json& record) { record["metrics"]["time_to_first_token"]["value"] = -50; });
  expect_requests_refused(folder.write("f.jsonl", aiperf_record([](Json& record) {
                                         record["error"] = {{"code", 500}};
                                       })),
                          "no request completed (1 failed");
  expect_requests_refused(folder.write("cut.jsonl", aiperf_record() + aiperf_record().substr(0, 60)), ":2");
}

TEST(GuidellmReport, GivesOneBenchmark) {
  const auto path = client_fixture("guidellm.json");
  const MeasuredRequests alone = read_measured_requests(path, {.benchmark = 0});
  EXPECT_EQ(alone.client->max_concurrency, 1);  // synchronous
  EXPECT_EQ(alone.requests.size(), 2u);
  const MeasuredRequests read = read_measured_requests(path, {.benchmark = 1});
  EXPECT_EQ(read.client->generator, "GuideLLM 0.8.1");
  EXPECT_EQ(read.client->replay, Replay::ClosedLoop);
  EXPECT_EQ(read.client->max_concurrency, 2);
  EXPECT_EQ(read.client->unfinished, 1);
  ASSERT_EQ(read.requests.size(), 3u);
  expect_times(read.requests[1], 0, 0.09375, 0.25);
  expect_times(read.requests[2], 0.15625, 0.21875, 0.28125);
  EXPECT_EQ(read.requests[2].client, 0);  // who was answered first
}

TEST(GuidellmReport, ReadsTheNamesOfOlderReports) {
  const ScratchFolder folder;
  const auto path = folder.write("old.json", R"({"benchmarks": [{"args": {"strategy": {"type_": "poisson",
      "max_concurrency": 512}}, "requests": {"successful": [{"prompt_tokens": 7, "output_tokens": 3,
      "start_time": 100.5, "first_token_time": 101, "last_token_time": 102}], "errored": [{}, {}]}}]})");
  const MeasuredRequests read = read_measured_requests(path);
  EXPECT_EQ(read.client->replay, Replay::Arrivals);  // the limit of its workers is none of the load
  EXPECT_EQ(read.client->failed, 2);
  expect_times(read.requests.at(0), 0, 0.5, 1.5);
}

TEST(GuidellmReport, RefusesWhatIsMissingOrDoesNotFit) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& part, const std::function<void(Json&)>& change) {
    expect_requests_refused(changed_fixture(folder, "guidellm.json",
                                            [&](Json& document) {
                                              document["benchmarks"].erase(0);
                                              change(document);
                                            }),
                            part);
  };
  const auto request = [](Json& document) -> Json& {
    return document["benchmarks"][0]["requests"]["successful"][1];
  };
  expect_requests_refused(client_fixture("guidellm.json"), "holds 2 benchmarks");
  expect_requests_refused(client_fixture("guidellm.json"), "benchmark: is 2, expected 0 to 1",
                          {.benchmark = 2});
  refused("version 3, expected at most 2", [](Json& document) { document["metadata"]["version"] = 3; });
  refused("'benchmarks' is empty", [](Json& document) { document["benchmarks"] = Json::array(); });
  refused("'requests' is missing", [](Json& document) { document["benchmarks"][0].erase("requests"); });
  refused("'successful' is missing",
          [](Json& document) { document["benchmarks"][0]["requests"].erase("successful"); });
  refused("'config.strategy.type_' is missing",
          [](Json& document) { document["benchmarks"][0].erase("config"); });
  refused("'config.strategy.streams' is missing",
          [](Json& document) { document["benchmarks"][0]["config"]["strategy"].erase("streams"); });
  refused("lists 3 of 40 successful requests",
          [](Json& document) { document["benchmarks"][0]["metrics"]["request_totals"]["successful"] = 40; });
  for (const char* key : {"prompt_tokens", "output_tokens", "request_start_time"})
    refused(std::string("successful request 1: '") + key + "' is missing",
            [&](Json& document) { request(document).erase(key); });
  refused("'info.timings.first_token_iteration' is missing",
          [&](Json& document) { request(document)["info"]["timings"]["first_token_iteration"] = nullptr; });
  refused("'info.turn_index' is above 0",
          [&](Json& document) { request(document)["info"]["turn_index"] = 2; });
  refused("run backwards", [&](Json& document) {
    request(document)["info"]["timings"]["last_token_iteration"] = 1767268810.01;
  });
  refused("'request_start_time' is -1",
          [&](Json& document) { request(document)["request_start_time"] = -1; });
  refused("no request completed (0 failed, 1 were cut off", [](Json& document) {
    document["benchmarks"][0]["requests"]["successful"] = Json::array();
    document["benchmarks"][0].erase("metrics");
  });
}

}  // namespace
}  // namespace warploom
