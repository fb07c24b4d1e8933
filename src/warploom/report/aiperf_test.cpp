#include "warploom/report/aiperf.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace warploom {
namespace {

TEST(Aiperf, WritesOneLineForEachCompletedRequest) {
  RequestRecord done{.arrival = SimTime(1'000'000),
                     .first_token = SimTime(11'000'000),
                     .last_token = SimTime(31'000'000),
                     .input_tokens = 100,
                     .output_tokens = 3,
                     .tokens_emitted = 3,
                     .replica = 1};
  RequestRecord single = done;
  single.output_tokens = single.tokens_emitted = 1;
  single.last_token = single.first_token;
  const RequestRecord waiting{.input_tokens = 5, .output_tokens = 5};
  std::istringstream lines(aiperf_jsonl(std::vector{done, waiting, single}));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto first = nlohmann::json::parse(line);
  EXPECT_EQ(first["metadata"]["request_start_ns"], 1'000'000);
  EXPECT_DOUBLE_EQ(first["metrics"]["time_to_first_token"]["value"].get<double>(), 10.0);
  EXPECT_DOUBLE_EQ(first["metrics"]["inter_token_latency"]["value"].get<double>(), 10.0);
  EXPECT_DOUBLE_EQ(first["metrics"]["output_token_throughput_per_user"]["value"].get<double>(), 100.0);
  EXPECT_EQ(first["metrics"]["request_latency"]["unit"], "ms");
  ASSERT_TRUE(std::getline(lines, line));
  const auto second = nlohmann::json::parse(line);
  EXPECT_EQ(second["metadata"]["x_request_id"], "2");
  EXPECT_FALSE(second["metrics"].contains("inter_token_latency"));
  EXPECT_FALSE(std::getline(lines, line));
}

}  // namespace
}  // namespace warploom
