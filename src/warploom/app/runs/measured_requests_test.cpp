#include "warploom/app/runs/measured_requests.h"

#include <gtest/gtest.h>

#include "warploom/app/runs/client_fixture_test.h"
#include "warploom/base/file.h"

namespace warploom {
namespace {

constexpr const char* kEngineRecord =
    "request_id,arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s\n"
    "a,0,10,2,0,0.1,1,2\n";

TEST(MeasuredRequests, AreToldApartByContentsAlone) {
  const ScratchFolder folder;
  const auto layout_of = [&](const std::filesystem::path& path) {
    const MeasuredRequests read = read_measured_requests(path, {});
    return read.client ? read.client->layout : "engine";
  };
  EXPECT_EQ(layout_of(folder.write("a", kEngineRecord)), "engine");
  EXPECT_EQ(layout_of(folder.write("b", read_file(client_fixture("vllm_bench.json")))), "vllm_bench");
  EXPECT_EQ(layout_of(folder.write("c", read_file(client_fixture("profile_export.jsonl")))), "aiperf");
  EXPECT_EQ(layout_of(folder.write_gzip("d", read_file(client_fixture("profile_export.jsonl")))), "aiperf");
  const Json report = read_json_file(client_fixture("guidellm.json"));
  Json one = report;
  one["benchmarks"].erase(1);
  EXPECT_EQ(layout_of(folder.write("e", one.dump())), "guidellm");
}

TEST(MeasuredRequests, RefuseAFileOfNoKnownLayoutAndNameTheKnownOnes) {
  const ScratchFolder folder;
  for (const char* text : {"", "{}", "[]", "[1]", "{\"throughput\": 3}", "when,tokens\n1,2\n", "{}\n{}\n",
                           "{\"timestamp\": 0, \"input_length\": 5}\n{\"timestamp\": 1}\n"}) {
    const auto path = folder.write("unknown", text);
    for (const char* known : {"arrival_s", "with save-detailed", "profile_export.jsonl", "benchmarks.json"})
      expect_requests_refused(path, known);
  }
  const std::string result = Json::parse(read_file(client_fixture("vllm_bench.json"))).dump() + "\n";
  expect_requests_refused(folder.write("two.json", result + result), "without append-result");
  expect_requests_refused(folder.write("cut.json", result.substr(0, 100)), "cut.json");
  expect_requests_refused(folder.write("r.csv", kEngineRecord), "benchmark: ", {.benchmark = 0});
  expect_requests_refused(client_fixture("vllm_bench.json"), "benchmark: ", {.benchmark = 0});
  expect_requests_refused(client_fixture("profile_export.jsonl"), "benchmark: ", {.benchmark = 0});
}

TEST(MeasuredRequests, EveryClientFollowsItsOwnAnswer) {
  const MeasuredRequests read = read_measured_requests(client_fixture("vllm_bench.json"));
  std::vector<std::int64_t> clients;
  for (const RealRequest& request : read.requests) clients.push_back(request.client.value());
  EXPECT_EQ(clients, (std::vector<std::int64_t>{0, 1, 0, 1}));
}

TEST(MeasuredRequests, TheRunsRecordMayStateTheConcurrency) {
  const MeasuredRequests read =
      read_measured_requests(client_fixture("profile_export.jsonl"), {.max_concurrency = 1});
  EXPECT_EQ(read.client->replay, Replay::ClosedLoop);
  for (const RealRequest& request : read.requests) EXPECT_EQ(request.client, 0);
  expect_requests_refused(client_fixture("vllm_bench.json"), "max_concurrency is 2, expected 3",
                          {.max_concurrency = 3});
}

TEST(MeasuredRequests, ARateUnderALimitKeepsTheTimesThatTheLoadCalledFor) {
  const ScratchFolder folder;
  const auto path =
      changed_fixture(folder, "vllm_bench.json", [](Json& document) { document["request_rate"] = 50; });
  const MeasuredRequests read = read_measured_requests(path);
  EXPECT_EQ(read.client->replay, Replay::LimitedArrivals);
  EXPECT_NEAR(read.requests[1].arrival, 0.0005,
              1e-9);  // started at 0.082, after 0.0815 in the client's queue
  EXPECT_NEAR(read.requests[1].queued, 0.082, 1e-9);
  EXPECT_FALSE(read.requests[1].client.has_value());
  const auto open = changed_fixture(folder, "vllm_bench.json", [](Json& document) {
    document["request_rate"] = 50;
    document["max_concurrency"] = nullptr;
  });
  EXPECT_EQ(read_measured_requests(open).client->replay, Replay::Arrivals);
}

TEST(MeasuredRequests, WithoutTimesOfSendingAClosedLoopMustBeStated) {
  const ScratchFolder folder;
  const auto untimed = [&](const std::function<void(Json&)>& change) {
    return changed_fixture(folder, "vllm_bench.json", [&](Json& document) {
      document.erase("start_times");
      change(document);
    });
  };
  const MeasuredRequests closed = read_measured_requests(untimed([](Json&) {}));
  EXPECT_FALSE(closed.client->timed);
  EXPECT_EQ(closed.client->replay, Replay::ClosedLoop);
  EXPECT_EQ(closed.client->duration, 0.62);
  EXPECT_NEAR(closed.requests[1].first_token, 0.06, 1e-12);
  expect_requests_refused(untimed([](Json& document) { document["max_concurrency"] = nullptr; }),
                          "'start_times' is missing");
  expect_requests_refused(untimed([](Json& document) { document["request_rate"] = 4; }),
                          "'start_times' is missing");
  expect_requests_refused(untimed([](Json& document) { document.erase("duration"); }),
                          "'duration' and 'start_times' are missing");
  const auto stated = untimed([](Json& document) { document["max_concurrency"] = nullptr; });
  EXPECT_EQ(read_measured_requests(stated, {.max_concurrency = 2}).client->replay, Replay::ClosedLoop);
}

}  // namespace
}  // namespace warploom
