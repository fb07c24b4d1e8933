// A curve is made of the runs that `simulate` answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/answers/answer.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"

namespace warploom {
namespace {

const Session& session() {
  static const Session opened("roofline");
  return opened;
}

Json some_requests(const Json& more) {
  Json asked{{"model", "Llama-3.1-8B"}, {"gpu", "H100-SXM"}, {"random_input_len", 400},
             {"random_output_len", 20}, {"requests", 12},    {"intervals", false}};
  asked.update(more);
  return asked;
}

std::string refusal_of(const Json& more) {
  try {
    answer(session(), "curve", some_requests(more));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Curve, EachPointIsTheRunOfItsOwn) {
  const Json curve = answer(session(), "curve",
                            some_requests({{"max_concurrencies", {1, 4}}, {"engines", {"vllm", "sglang"}}}));
  ASSERT_EQ(curve["points"].size(), 4U);
  for (const Json& point : curve["points"]) {
    const Json run =
        answer(session(), "simulate",
               some_requests({{"max_concurrency", point["max_concurrency"]}, {"engine", point["engine"]}}));
    for (const char* key : {"output_throughput", "mean_ttft_ms", "p95_tpot_ms"})
      EXPECT_EQ(point[key], run[key]) << point.dump();
    EXPECT_EQ(point["tokens_per_s_per_gpu"], run["output_throughput"]);
  }
  EXPECT_GT(curve["points"][1]["output_throughput"], curve["points"][0]["output_throughput"]);
  EXPECT_FALSE(curve["partial"].get<bool>());
}

TEST(Curve, CountsTheGpusOfAPoint) {
  const Json curve = answer(session(), "curve", some_requests({{"tp_sizes", {1, 2}}}));
  ASSERT_EQ(curve["points"].size(), 2U);
  EXPECT_EQ(curve["points"][1]["gpus"], 2);
  EXPECT_DOUBLE_EQ(curve["points"][1]["tokens_per_s_per_gpu"].get<double>(),
                   curve["points"][1]["output_throughput"].get<double>() / 2);
}

TEST(Curve, LaysMeasuredRunsOverThePoints) {
  const auto file = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/clients/vllm_bench.json";
  const Json curve =
      answer(session(), "curve", some_requests({{"tp_sizes", {2}}, {"measured", {file.string()}}}));
  const double stated = read_json_file(file)["output_throughput"];
  ASSERT_EQ(curve["measured"].size(), 1U);
  EXPECT_NEAR(curve["measured"][0]["output_throughput"].get<double>(), stated, 0.02 * stated);
  EXPECT_DOUBLE_EQ(curve["measured"][0]["tokens_per_s_per_gpu"].get<double>(),
                   curve["measured"][0]["output_throughput"].get<double>() / 2);
}

TEST(Curve, ShowsTheSamePointsWithinEightyColumns) {
  AnswerText text;
  const Json curve =
      answer(session(), "curve", some_requests({{"max_concurrencies", {1, 4}}, {"views", {"csv", "svg"}}}),
             {}, &text);
  std::size_t widest = 0, begin = 0;
  for (std::size_t end; (end = text.text.find('\n', begin)) != std::string::npos; begin = end + 1)
    widest = std::max(widest, end - begin);
  EXPECT_LE(widest, 80U) << text.text;
  const std::string csv = curve["views"]["csv"];
  EXPECT_EQ(csv.find("max_concurrency,gpus,output_throughput"), 0U);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_NE(curve["views"]["svg"].get<std::string>().find("users 4"), std::string::npos);
}

TEST(Curve, RefusesWhatMakesNoCurve) {
  EXPECT_NE(refusal_of(Json::object()).find("no list is given"), std::string::npos);
  EXPECT_NE(refusal_of({{"max_concurrencies", {0}}}).find("expected numbers above 0"), std::string::npos);
  EXPECT_NE(refusal_of({{"max_concurrencies", {4, 4}}}).find("twice"), std::string::npos);
  EXPECT_NE(refusal_of({{"max_concurrencies", {1}}, {"max_concurrency", 2}}).find("one of them"),
            std::string::npos);
  EXPECT_NE(refusal_of({{"engines", {"vlm"}}}).find("vlm"), std::string::npos);
  EXPECT_NE(refusal_of({{"max_concurrencies", {1}}, {"measured", {"/nowhere.json"}}}).find("nowhere"),
            std::string::npos);
  EXPECT_NE(refusal_of({{"tp_sizes", {1, 2}}, {"details", true}}).find("simulate"), std::string::npos);
}

}  // namespace
}  // namespace warploom
