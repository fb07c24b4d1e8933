#include "warploom/answers/prepared_question.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/answers/answer.h"
#include "warploom/answers/step_prices.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

const Session& question_session() {
  static const Session session;
  return session;
}

Json question_fields(const std::string& text) { return parse_json(text, "test"); }

TEST(PreparedQuestion, GivesWhatPredictGives) {
  for (const char* framework : {"", R"(, "framework": "vllm")"}) {
    const Json asked = question_fields(
        std::string(R"({"gpu": "H200", "family": "gemm", "scheme": "fp8", "m": 8, "n": 4096, "k": 4096)") +
        framework + "}");
    const PreparedQuestion question(question_session(), asked);
    const Json document = answer(question_session(), "predict", asked);
    EXPECT_EQ(to_microseconds(question.estimate().p50), document["p50_us"].get<double>());
  }
}

TEST(PreparedQuestion, RowsAreTheQuestionsOneByOne) {
  for (const char* framework : {"", R"(, "framework": "vllm")"}) {
    PreparedQuestion question(
        question_session(),
        question_fields(std::string(R"({"gpu": "H100-SXM", "family": "attention_decode", "heads": 32,
                                        "kv_heads": 8, "batch": 1, "context": 1)") +
                        framework + "}"));
    std::vector<std::int64_t> batches, contexts;
    for (std::int64_t i = 0; i < 3000; ++i) {
      batches.push_back(1 + i % 77);
      contexts.push_back(1 + i * 13 % 5000);
    }
    const std::vector<SizeColumn> columns{{"batch", batches}, {"context", contexts}};
    std::vector<double> one(batches.size()), two(batches.size());
    const auto into = [](std::vector<double>& times) {
      return [&times](std::size_t row, const LatencyEstimate& e) { times[row] = e.p50.value(); };
    };
    question.estimate_rows(columns, batches.size(), 1, into(one));
    question.estimate_rows(columns, batches.size(), 2, into(two));
    EXPECT_EQ(one, two);
    for (const std::size_t row : {0U, 1023U, 1024U, 2999U}) {
      question.set("batch", batches[row]);
      question.set("context", contexts[row]);
      EXPECT_EQ(question.estimate().p50.value(), one[row]) << row;
    }
  }
}

TEST(PreparedQuestion, NamesTheRowThatIsNoOperator) {
  const PreparedQuestion question(
      question_session(), question_fields(R"({"gpu": "H200", "family": "gemm", "m": 8, "n": 64, "k": 64})"));
  const std::vector<std::int64_t> rows{1, 2, 0, 4};
  try {
    question.estimate_rows(std::vector<SizeColumn>{{"m", rows}}, rows.size(), 1,
                           [](std::size_t, const LatencyEstimate&) {});
    FAIL() << "a product of no rows was priced";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("row 2"), std::string::npos) << error.what();
  }
  EXPECT_THROW(question.estimate_rows(std::vector<SizeColumn>{{"m", rows}}, 3, 1, {}), InvalidInput);
}

TEST(PreparedQuestion, RefusesWhatIsNoSize) {
  PreparedQuestion question(
      question_session(), question_fields(R"({"gpu": "H200", "family": "gemm", "m": 8, "n": 64, "k": 64})"));
  EXPECT_THROW(question.set("scheme", 1), InvalidInput);
  EXPECT_THROW(question.set("context", 1), InvalidInput);
  EXPECT_THROW(question.set("m", 0), InvalidInput);
  EXPECT_NO_THROW(question.set("m", 1));
}

TEST(StepPrices, AreThoseOfStepWithinWhatTablesRound) {
  const Json setup = question_fields(R"({"model": "Llama-3.1-8B", "gpu": "H100-SXM"})");
  StepPrices prices(question_session(), setup);
  Json asked = setup;
  asked["decode"] = "64x500";
  const Json step = answer(question_session(), "step", asked);
  const StepPrice price = prices.decode(64, 500);
  EXPECT_NEAR(to_milliseconds(price.time()) / step["step_ms"].get<double>(), 1, 0.02);
  EXPECT_LE(price.p10.value(), price.p50.value());
  EXPECT_LE(price.p50.value(), price.p90.value());
}

TEST(StepPrices, MixedStepsHoldPromptsAndDecodingRequests) {
  StepPrices prices(question_session(), question_fields(R"({"model": "Llama-3.1-8B", "gpu": "H100-SXM"})"));
  const std::vector<std::int64_t> contexts(64, 500);
  EXPECT_EQ(prices.mixed(contexts, {}).p50.value(), prices.decode(64, 500).p50.value());
  const std::vector<PromptPart> prompt{{.tokens = 2048, .context = 0}};
  EXPECT_GT(prices.mixed(contexts, prompt).p50.value(), prices.mixed({}, prompt).p50.value());
  EXPECT_THROW(prices.mixed({}, {}), InvalidInput);
  EXPECT_THROW(prices.decode(0, 5), InvalidInput);
  EXPECT_THROW(prices.decode(1, -5), InvalidInput);
}

// Without a CUDA graph, which pads: what `step` says of the same prompt on each of two ranks.
TEST(StepPrices, AreThoseOfStepForRanksThatStepTogether) {
  const std::string setup = R"({"model": "Qwen/Qwen3-30B-A3B", "gpu": "H200", "data_parallel_size": 2,
                                "enable_expert_parallel": true)";
  StepPrices steps(question_session(), question_fields(setup + "}"));
  const PromptPart prompt{.tokens = 2048};
  const StepPrice price = steps.mixed({}, {&prompt, 1});
  const Json document =
      answer(question_session(), "step", question_fields(setup + R"(, "prefill": "1x2048"})"));
  EXPECT_NEAR(to_milliseconds(price.time()) / document["step_ms"].get<double>(), 1, 1e-6);
}

}  // namespace
}  // namespace warploom
