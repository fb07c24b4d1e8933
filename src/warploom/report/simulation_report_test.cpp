#include "warploom/report/simulation_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warploom {
namespace {

SimulationResult one_request() {
  SimulationResult result;
  RequestRecord record{.input_tokens = 10, .output_tokens = 2, .tokens_emitted = 2};
  record.first_token = SimTime(2'000'000'000);
  record.last_token = SimTime(3'000'000'000);
  result.requests = {record, RequestRecord{.input_tokens = 5, .output_tokens = 9, .tokens_emitted = 1}};
  result.kernels = {{Family::Gemm, "qkv_proj", Seconds(0.5), 4}};
  result.metrics.completed = 1;
  return result;
}

TEST(SimulationReport, ListsCompletedRequestsOnlyWithDetails) {
  const Json plain = simulation_json({}, one_request(), {}, false);
  EXPECT_FALSE(plain.contains("ttfts"));
  const Json details = simulation_json({}, one_request(), {}, true);
  EXPECT_EQ(details["ttfts"], Json::array({2.0}));
  EXPECT_EQ(details["latencies"], Json::array({3.0}));
  EXPECT_EQ(details["input_lens"], Json::array({10}));
}

TEST(SimulationReport, KeepsTheKeysOfVllmBench) {
  const Json document = simulation_json({}, one_request(), RunInterval{}, false);
  for (const char* key :
       {"duration", "completed", "total_input_tokens", "total_output_tokens", "request_throughput",
        "output_throughput", "total_token_throughput", "mean_ttft_ms", "median_ttft_ms", "std_ttft_ms",
        "p99_ttft_ms", "mean_tpot_ms", "mean_itl_ms", "mean_e2el_ms"}) {
    EXPECT_TRUE(document.contains(key)) << key;
    EXPECT_TRUE(document["interval"]["low"].contains(key)) << key;
  }
}

TEST(SimulationReport, PartialResultsHaveNoInterval) {
  SimulationResult result = one_request();
  result.partial = true;
  const Json document = simulation_json({}, result, {}, false);
  EXPECT_TRUE(document["partial"].get<bool>());
  EXPECT_TRUE(document["interval"].is_null());
  EXPECT_EQ(simulation_text({}, result, {}).find("STOPPED EARLY"), 0U) << "the first words of the first line";
}

TEST(SimulationReport, SaysAtOnceWhatWasNotServedWhole) {
  SimulationResult result = one_request();
  const auto second_line = [&] {
    const std::string text = simulation_text({}, result, {});
    const std::size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_NE(second_line().find(" requests completed in "), std::string::npos) << second_line();
  result.rejected = 2;
  result.cut = 3;
  EXPECT_NE(second_line().find(" requests completed, 2 rejected as too long, 3 cut short in "),
            std::string::npos)
      << second_line();
}

}  // namespace
}  // namespace warploom
