// The ranking of a plan fits a terminal of 80 columns.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "warploom/answers/answer.h"
#include "warploom/base/json.h"

namespace warploom {
namespace {

// The lines from the ranking's titles to the next empty line.
std::vector<std::string> ranking_of(const std::string& text) {
  std::istringstream lines(text.substr(text.rfind('\n', text.find("tok/s/GPU")) + 1));
  std::vector<std::string> ranking;
  for (std::string line; std::getline(lines, line) && !line.empty();) ranking.push_back(line);
  return ranking;
}

void expect_narrow(const Json& asked) {
  const Session session("roofline");
  AnswerText text;
  const Json plan = answer(session, "plan", asked, {}, &text);
  const std::vector<std::string> ranking = ranking_of(text.text);
  const std::size_t points = plan["points"].size();
  ASSERT_GE(points, 2U);
  ASSERT_GE(ranking.size(), 2 + 2 * points) << text.text;  // titles, rule, two lines a deployment
  for (std::size_t i = 0; i < 2 + 2 * points; ++i) EXPECT_LE(ranking[i].size(), 80U) << ranking[i];
  for (std::size_t i = 0; i < points; ++i) {
    const auto words = plan["points"][i]["deployment"]["words"].get<std::string>();
    EXPECT_EQ(ranking[3 + 2 * i].find("   " + words + "; "), 0U) << ranking[3 + 2 * i];
  }
}

const Json kAsked{{"model", "Llama-3.1-8B"},         {"gpu_names", {"H100-SXM", "H200"}},
                  {"tensor_parallel_sizes", {1, 2}}, {"random_input_len", 300},
                  {"random_output_len", 30},         {"requests", 40},
                  {"slo", {"ttft_p95_ms=800"}}};

TEST(PlanText, TheRankingFitsEightyColumns) {
  Json asked = kAsked;
  asked["rate"] = 5;
  expect_narrow(asked);
}

TEST(PlanText, TheRankingOfMostRatesFitsEightyColumns) {
  Json asked = kAsked;
  asked["find_max_rate"] = true;
  asked["gpu_count"] = 2;
  expect_narrow(asked);
}

TEST(PlanText, SaysWhatIsRentedWhereThatIsMore) {
  Json asked = kAsked;
  asked["rate"] = 5;
  const Session session("roofline");
  AnswerText text;
  Json plan = answer(session, "plan", asked, {}, &text);
  EXPECT_EQ(text.text.find("rented"), std::string::npos) << text.text;
  EXPECT_EQ(plan["points"][0]["rented_gpus"], plan["points"][0]["gpus"]);
  EXPECT_TRUE(plan["points"][0]["rented_nodes"].is_null());
  asked["whole_nodes"] = true;
  expect_narrow(asked);
  plan = answer(session, "plan", asked, {}, &text);
  EXPECT_NE(text.text.find("rented: 8 GPUs = 1 node; the plan uses 1"), std::string::npos) << text.text;
  EXPECT_EQ(plan["points"][0]["rented_gpus"], 8);
  EXPECT_EQ(plan["points"][0]["rented_nodes"], 1);
}

TEST(PlanText, SaysHowEachPartIsRentedAndWhatTheRoomMustHave) {
  Json asked = kAsked;
  asked["rate"] = 5;
  asked["rent"] = {"reserved=0.5", "spot"};
  asked["price"] = {"H100-SXM:spot=1", "H200:spot=1.5"};
  asked["whole_nodes"] = false;
  asked["max_power_kw"] = 30;
  asked["spare_instances"] = 1;
  expect_narrow(asked);
  const Session session("roofline");
  AnswerText text;
  const Json plan = answer(session, "plan", asked, {}, &text);
  EXPECT_NE(text.text.find("reserved: 1 instance"), std::string::npos) << text.text;
  EXPECT_NE(text.text.find("spot: 1 instance, 1 GPU, $1.00/h; may be taken back"), std::string::npos)
      << text.text;
  EXPECT_NE(text.text.find("room: 1 node, 10.2 kW at most"), std::string::npos) << text.text;
  EXPECT_NE(text.text.find("all spot instances taken back: "), std::string::npos) << text.text;
  EXPECT_EQ(plan["points"][0]["rent"][1]["price_kind"], "spot");
  EXPECT_EQ(plan["points"][0]["room"]["nodes"], 1);
  EXPECT_TRUE(plan["points"][0]["room"]["racks"].is_null());
}

}  // namespace
}  // namespace warploom
