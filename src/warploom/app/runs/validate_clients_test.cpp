// `validate serving` of what load generators wrote.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/app/runs/client_fixture_test.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/app/serving/fixed_latency_test.h"

namespace warploom {
namespace {

// The run record of the fixtures with further keys.
std::filesystem::path run_record(const ScratchFolder& folder, const Json& more = Json::object()) {
  Json record = read_json_file(client_fixture("run.json"));
  record.update(more);
  return folder.write("run.json", record.dump());
}

ServingValidation validated(const std::filesystem::path& run, const std::filesystem::path& requests,
                            std::optional<std::int64_t> benchmark = {}) {
  return validate_serving({.run = run, .requests = requests, .benchmark = benchmark}, fixed_latency());
}

const Comparison& mean_ttft(const ServingValidation& result) { return result.latencies.front().figure; }
const Comparison& mean_engine_ttft(const ServingValidation& result) {
  return result.client.value().engine_ttft.front().figure;
}

TEST(ValidateClients, TheWayToTheEngineIsPartOfTtftAndToldApart) {
  const ScratchFolder folder;
  const auto requests = client_fixture("vllm_bench.json");
  const ServingValidation modelled = validated(run_record(folder), requests);
  EXPECT_FALSE(modelled.client->frontend_stated);
  EXPECT_NEAR(mean_ttft(modelled).measured, 65, 1e-6);
  EXPECT_NEAR(mean_engine_ttft(modelled).measured, 65, 1e-6);
  // 7 ms, and 3 us for each of 250 prompt tokens, more where requests share the loop.
  EXPECT_GE(modelled.client->mean_frontend, 7 + 250 * 3e-3 - 1e-6);
  EXPECT_LT(modelled.client->mean_frontend, 9);
  EXPECT_NEAR(mean_ttft(modelled).predicted - mean_engine_ttft(modelled).predicted,
              modelled.client->mean_frontend, 1e-6);

  const ServingValidation stated = validated(run_record(folder, {{"client_latency_ms", 2}}), requests);
  EXPECT_TRUE(stated.client->frontend_stated);
  EXPECT_NEAR(stated.client->mean_frontend, 2, 1e-6);
  EXPECT_NEAR(mean_ttft(stated).predicted - mean_engine_ttft(stated).predicted, 2, 1e-6);
  EXPECT_FALSE(stated.start_order_correlation.has_value());
}

TEST(ValidateClients, AClosedLoopSendsWhenAnswersEnd) {
  const ScratchFolder folder;
  const auto run = run_record(folder, {{"client_latency_ms", 0}});
  const auto requests = client_fixture("vllm_bench.json");
  const ServingValidation closed = validated(run, requests);
  const ServingValidation open =
      validated(run, changed_fixture(folder, "vllm_bench.json",
                                     [](Json& document) { document["max_concurrency"] = nullptr; }));
  EXPECT_EQ(open.client->run.replay, Replay::Arrivals);
  EXPECT_NEAR(closed.duration.measured, 0.284, 1e-9);
  // Kernels of 1 us answer far sooner than the run did, and the clients go on sooner too.
  EXPECT_GT(open.duration.predicted, 0.164);
  EXPECT_LT(closed.duration.predicted, open.duration.predicted);
  EXPECT_GT(closed.duration.predicted, 0.063);  // the longest turnaround
}

TEST(ValidateClients, ALimitUnderARateHoldsRequestsBack) {
  const ScratchFolder folder;
  const auto with_limit = [&](std::int64_t limit) {
    const auto requests = changed_fixture(folder, "vllm_bench.json", [&](Json& document) {
      document["request_rate"] = 4000;  // all four within a millisecond
      document["max_concurrency"] = limit;
    });
    return validated(run_record(folder), requests);
  };
  const ServingValidation one = with_limit(1), four = with_limit(4);
  EXPECT_EQ(one.client->run.replay, Replay::LimitedArrivals);
  EXPECT_GT(one.duration.predicted, 4 * 15e-3);  // one after the other, each with its way in
  EXPECT_LT(four.duration.predicted, one.duration.predicted - 3 * 15e-3);  // the ways in lie side by side
}

TEST(ValidateClients, WithoutTimesOfSendingTheLoopFillsItself) {
  const ScratchFolder folder;
  const auto untimed =
      changed_fixture(folder, "vllm_bench.json", [](Json& document) { document.erase("start_times"); });
  const ServingValidation result = validated(run_record(folder), untimed);
  EXPECT_NEAR(result.duration.measured, 0.62, 1e-12);
  EXPECT_NEAR(result.output_throughput.measured, 13 / 0.62, 1e-9);
  EXPECT_NEAR(mean_ttft(result).measured, 65, 1e-9);
  EXPECT_GT(result.duration.predicted, 2 * 15e-3);  // two requests one after the other, each with its way in
}

TEST(ValidateClients, EveryGeneratorsFileIsCompared) {
  const ScratchFolder folder;
  const auto run = run_record(folder);
  const ServingValidation aiperf = validated(run, client_fixture("profile_export.jsonl"));
  EXPECT_EQ(aiperf.requests, 3);
  EXPECT_EQ(aiperf.engine, "vllm");  // of a version that the record does not state
  EXPECT_NEAR(mean_ttft(aiperf).measured, 60, 1e-6);
  const ServingValidation guidellm = validated(run, client_fixture("guidellm.json"), 1);
  EXPECT_EQ(guidellm.requests, 3);
  EXPECT_NEAR(guidellm.duration.measured, 0.28125, 1e-6);
  // Requests at once get the tokens of (62.5 / 4, 156.25 / 5, 62.5 / 4) ms.
  const ServingFigure& tpot = guidellm.latencies.at(5);
  EXPECT_EQ(tpot.metric + " " + tpot.statistic, "tpot mean");
  EXPECT_NEAR(tpot.figure.measured, (15.625 + 31.25 + 15.625) / 3, 1e-4);
}

}  // namespace
}  // namespace warploom
