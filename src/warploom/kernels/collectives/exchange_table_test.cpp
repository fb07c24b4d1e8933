#include "warploom/kernels/collectives/exchange_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

const GpuSpec& gpu(std::string_view name) {
  static const GpuCatalog catalog;
  return catalog.get(name);
}

Collective dispatch(double tokens, double hidden, std::int64_t ranks, std::int64_t per_node = 0) {
  return {.kind = CollectiveKind::Dispatch,
          .size = Bytes(tokens * 8 * hidden),
          .ranks = ranks,
          .ranks_per_node = per_node,
          .top_k = 8,
          .token_bytes = Bytes(hidden)};
}

double us(std::string_view kernel, const Collective& op, std::string_view name) {
  return shipped_exchanges().answer(kernel, op, gpu(name))->seconds * 1e6;
}

// Rows of deepep_ll and deepep_normal of SGLang 0.5.12, 8 GPUs.
TEST(ExchangeTable, AnswersWhatWasMeasured) {
  EXPECT_NEAR(us("deepep_low_latency", dispatch(128, 7168, 8), "h100_sxm"), 36.72, 0.1 * 36.72);
  EXPECT_NEAR(us("deepep_low_latency", dispatch(512, 4096, 8), "h100_sxm"), 74.07, 0.05 * 74.07);
  const auto known =
      shipped_exchanges().answer("deepep_low_latency", dispatch(128, 7168, 8), gpu("h100_sxm"));
  EXPECT_TRUE(known->gpu_measured);
  EXPECT_TRUE(known->ranks_measured);
  EXPECT_FALSE(known->outside);
  EXPECT_LT(known->low, 0);
  EXPECT_GT(known->high, 0);
}

TEST(ExchangeTable, SaysWhereAGpuOrANumberOfRanksHasNoRows) {
  const ExchangeTable& table = shipped_exchanges();
  const auto own = table.answer("deepep_low_latency", dispatch(64, 7168, 8), gpu("gb200"));
  const auto ranks = table.answer("deepep_low_latency", dispatch(64, 7168, 32), gpu("gb200"));
  const auto other = table.answer("deepep_low_latency", dispatch(64, 7168, 8), gpu("h20"));
  EXPECT_TRUE(own->ranks_measured);
  EXPECT_FALSE(ranks->ranks_measured);
  EXPECT_TRUE(ranks->gpu_measured);
  EXPECT_FALSE(other->gpu_measured);
  EXPECT_LE(ranks->low, own->low);
  EXPECT_LT(other->low, own->low);
  EXPECT_GT(other->high, own->high);
  EXPECT_TRUE(table.answer("deepep_low_latency", dispatch(1e6, 7168, 8), gpu("gb200"))->outside);
}

TEST(ExchangeTable, AcrossNodesTakesLongerAndMoreNodesLongerStill) {
  const double inside = us("deepep_low_latency", dispatch(128, 7168, 8), "h100_sxm");
  const double two = us("deepep_low_latency", dispatch(128, 7168, 16, 8), "h100_sxm");
  const double eight = us("deepep_low_latency", dispatch(128, 7168, 64, 8), "h100_sxm");
  EXPECT_NEAR(two, 102.1, 0.15 * 102.1);    // node_num 2 of 0.5.6.post2
  EXPECT_NEAR(eight, 166.8, 0.15 * 166.8);  // node_num 8
  EXPECT_LT(inside, two);
  EXPECT_LT(two, eight);
}

TEST(ExchangeTable, HasNothingForKernelsAndOperatorsThatSayTooLittle) {
  Collective op = dispatch(64, 7168, 8);
  EXPECT_FALSE(shipped_exchanges().answer("deepep_normal_sms4", op, gpu("h100_sxm")));
  op.top_k = 0;
  EXPECT_FALSE(shipped_exchanges().answer("deepep_low_latency", op, gpu("h100_sxm")));
  op = {.kind = CollectiveKind::AllReduce, .size = Bytes(1e6), .ranks = 8};
  EXPECT_FALSE(shipped_exchanges().answer("deepep_low_latency", op, gpu("h100_sxm")));
}

Json document() {
  return Json::parse(R"({"schema": "warploom_exchange_curves", "version": 1, "interval_edges": [16, 256],
    "kernels": [{"kernel": "k", "phase": "dispatch", "sends": "pairs", "framework": "sglang", "sharpness": 1,
      "network_share": 0.5, "network_start": 1.5, "hops": 0.1,
      "gpus": [{"gpu": "h100_sxm", "start_us": 10, "share": 0.5}],
      "low": {"shape": [0, 0, 0], "ranks": [-0.1, -0.1, -0.1], "gpu": [-0.2, -0.2, -0.2]},
      "high": {"shape": [0, 0, 0], "ranks": [0.1, 0.1, 0.1], "gpu": [0.2, 0.2, 0.2]}}],
    "curves": [{"kernel": "k", "phase": "dispatch", "version": "1", "gpu": "h100_sxm", "ranks": 8,
      "per_domain": 8, "top_k": 8, "token_bytes": 4096, "tokens": [1, 100], "ln": [0, 0]}]})");
}

TEST(ExchangeTable, IsTheFormWhereTheCurvesAreFlat) {
  const ExchangeTable table(document(), "t.json");
  const double sent = 50 * 8 * 4096.0 * 7 / 8;
  const auto answer = table.answer("k", dispatch(50, 4096, 8), gpu("h100_sxm"));
  EXPECT_NEAR(answer->seconds, 10e-6 + sent / (0.5 * 450e9), 1e-12);
}

TEST(ExchangeTable, RefusesWhatDoesNotFit) {
  const auto refused = [](const char* pointer, const Json& value) {
    Json damaged = document();
    damaged[Json::json_pointer(pointer)] = value;
    EXPECT_THROW(ExchangeTable(damaged, "t.json"), InvalidInput) << pointer;
  };
  refused("/interval_edges", Json::array({1}));
  refused("/kernels/0/phase", "sideways");
  refused("/kernels/0/sharpness", 0.5);
  refused("/kernels/0/gpus", Json::array());
  refused("/kernels/0/low/gpu", Json::array({1, 1, 1}));
  refused("/curves/0/kernel", "other");
  refused("/curves/0/tokens", Json::array({100, 1}));
  refused("/curves/0/ln", Json::array({0}));
}

}  // namespace
}  // namespace warploom
