#include "warploom/answers/answer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/answers/flat_request.h"
#include "warploom/answers/prepared_question.h"
#include "warploom/answers/step_prices.h"
#include "warploom/app/plan/plan_request.h"
#include "warploom/app/runs/curve.h"
#include "warploom/app/serving/price_static_batch.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

const Session& shipped_session() {
  static const Session session;
  return session;
}

Json asked(const std::string& text) { return parse_json(text, "test"); }

std::string refusal_of(const std::string& request, const std::string& fields) {
  try {
    answer(shipped_session(), request, asked(fields));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FlatRequest, PutsFieldsIntoTheObjectsThatHaveThem) {
  const Json nested =
      nested_request(asked(R"({"model": "m", "max_num_seqs": 8, "workload": "code", "setup": {"gpu": "g"}})"),
                     fields_of<SimulateRequest>(), "test");
  EXPECT_EQ(nested["setup"]["model"], "m");
  EXPECT_EQ(nested["setup"]["gpu"], "g");
  EXPECT_EQ(nested["setup"]["config"]["max_num_seqs"], 8);
  EXPECT_EQ(nested["source"]["workload"], "code");
  EXPECT_FALSE(nested.contains("disaggregation"));
}

TEST(FlatRequest, OpensAnOptionalObjectOnlyForWhatIsNowhereElse) {
  const Json nested =
      nested_request(asked(R"({"random_input_len": 7})"), fields_of<SimulateRequest>(), "test");
  EXPECT_EQ(nested["source"]["random"]["random_input_len"], 7);
}

TEST(FlatRequest, TakesNamesOfTheCommandLine) {
  const Json run = nested_request(asked(R"({"tp": 2, "input_tokens": 7, "output_tokens": 3})"),
                                  fields_of<SimulateRequest>(), "test");
  EXPECT_EQ(run["setup"]["config"]["tensor_parallel_size"], 2);
  EXPECT_EQ(run["source"]["random"], asked(R"({"random_input_len": 7, "random_output_len": 3})"));
  const Json plan = nested_request(asked(R"({"gpus": "H200", "tp": [1, 2], "isl": 7, "osl": 3})"),
                                   fields_of<PlanRequest>(), "test");
  EXPECT_EQ(plan["space"]["gpu_names"], Json::array({"H200"}));
  EXPECT_EQ(plan["space"]["tensor_parallel_sizes"], Json::array({1, 2}));
  EXPECT_EQ(plan["source"]["random"]["random_output_len"], 3);
  const Json batch =
      nested_request(asked(R"({"isl": 7, "osl": 3})"), fields_of<StaticBatchRequest>(), "test");
  EXPECT_EQ(batch, asked(R"({"input_tokens": 7, "output_tokens": 3})"));
  const Json sessions =
      nested_request(asked(R"({"sessions": 4, "output_tokens": 3})"), fields_of<SessionShape>(), "test");
  EXPECT_EQ(sessions["output_tokens"], 3);
  EXPECT_NE(refusal_of("simulate", R"({"tp": 2, "tensor_parallel_size": 4})").find("say the same"),
            std::string::npos);
}

TEST(FlatRequest, TakesListsUnderTheNameOfOne) {
  const FieldTable& table = fields_of<CurveRequest>();
  const Json curve = nested_request(
      asked(R"({"max_concurrency": [1, 4], "tp": [1, 2], "engine": ["vllm"], "quantization": "fp8"})"), table,
      "test");
  EXPECT_EQ(curve["max_concurrencies"], Json::array({1, 4}));
  EXPECT_EQ(curve["tp_sizes"], Json::array({1, 2}));
  EXPECT_EQ(curve["engines"], Json::array({"vllm"}));
  EXPECT_EQ(curve["run"]["setup"]["quantization"], "fp8");
  EXPECT_NE(refusal_of("curve", R"({"max_concurrency": [1], "max_concurrencies": [2]})").find("say the same"),
            std::string::npos);
  EXPECT_NE(refusal_of("simulate", R"({"max_concurrency": [1, 4]})").find("expected an integer"),
            std::string::npos);
}

TEST(FlatRequest, RefusesUnknownKeysAndContradictions) {
  EXPECT_NE(refusal_of("simulate", R"({"max_num_seq": 8})").find("did you mean 'max_num_seqs'"),
            std::string::npos);
  EXPECT_NE(refusal_of("simulate", R"({"model": "a", "setup": {"model": "b"}})").find("given twice"),
            std::string::npos);
  EXPECT_NE(refusal_of("simulate", R"([1])").find("expected an object"), std::string::npos);
}

TEST(Answer, GivesOnePriceForAnOperatorHoweverItIsAsked) {
  const std::string sizes = R"("family": "gemm", "m": 64, "n": 4096, "k": 4096)";
  const Json flat = answer(shipped_session(), "predict", asked(R"({"gpu": "H100-SXM", )" + sizes + "}"));
  const Json nested =
      answer(shipped_session(), "predict", asked(R"({"gpu": "H100-SXM", "operator": {)" + sizes + "}}"));
  EXPECT_EQ(flat, nested);
  EXPECT_GT(flat["p50_us"].get<double>(), 0);
}

TEST(Answer, TakesAlikeRequestsAsThreeNumbers) {
  const std::string sizes = R"("gpu": "H200", "family": "attention_decode", "heads": 32, "kv_heads": 8)";
  const Json flat =
      answer(shipped_session(), "predict", asked("{" + sizes + R"(, "batch": 8, "context": 900})"));
  const Json listed = answer(
      shipped_session(), "predict",
      asked("{" + sizes + R"(, "requests": [{"count": 8, "query_tokens": 1, "context_tokens": 900}]})"));
  EXPECT_EQ(flat, listed);
}

TEST(Answer, RefusesOperatorsWithoutWhatTheyNeed) {
  EXPECT_NE(refusal_of("predict", R"({"gpu": "H200"})").find("with a family"), std::string::npos);
  EXPECT_NE(refusal_of("predict", R"({"gpu": "H200", "family": "gem"})").find("gemm"), std::string::npos);
  EXPECT_NE(refusal_of("predict", R"({"gpu": "H200", "family": "attention_prefill", "batch": 2})")
                .find("`tokens` is missing"),
            std::string::npos);
  EXPECT_NE(refusal_of("predict", R"({"gpu": "H200", "family": "gemm", "m": 1, "nn": 2})").find("'nn'"),
            std::string::npos);
}

TEST(Answer, SimulatesConversationsUnlessItIsToldWhat) {
  const std::string fields =
      R"({"model": "Llama-3.1-8B", "gpu": "H100-SXM", "requests": 20, "intervals": false)";
  const Json unnamed = answer(shipped_session(), "simulate", asked(fields + "}"));
  const Json named =
      answer(shipped_session(), "simulate", asked(fields + R"(, "workload": "conversation"})"));
  EXPECT_EQ(unnamed, named);
  EXPECT_EQ(unnamed["completed"], 20);
  EXPECT_FALSE(unnamed.contains("ttfts"));
  const Json detailed = answer(shipped_session(), "simulate",
                               asked(fields + R"(, "details": true, "goodput": {"ttft": 1e9}})"));
  EXPECT_EQ(detailed["ttfts"].size(), 20U);
  EXPECT_EQ(detailed["slo_attainment"], 1);
}

TEST(Answer, RefusesFieldsThatChangeNothingAsTheCommandLineDoes) {
  const std::string model = R"({"model": "Llama-3.1-8B", "gpu": "H100-SXM", )";
  EXPECT_NE(refusal_of("step", model + R"("decode": "8x100", "routing_policy": "least_loaded"})")
                .find("not modelled by `step`"),
            std::string::npos);
  EXPECT_NE(refusal_of("static",
                       model + R"("input_tokens": 9, "output_tokens": 9, "scheduling_policy": "priority"})")
                .find("not modelled by `static`"),
            std::string::npos);
  EXPECT_NE(refusal_of("diagnose",
                       model + R"("input_tokens": 9, "output_tokens": 9, "gpu_memory_utilization": 0.5})")
                .find("no memory limit"),
            std::string::npos);
  EXPECT_NE(refusal_of("simulate", model + R"("schedule_policy": "lpm"})").find("is a flag of sglang"),
            std::string::npos);
  EXPECT_NE(refusal_of("simulate", model + R"("acceptance_length": 2.5})").find("changes nothing by itself"),
            std::string::npos);
  EXPECT_NE(refusal_of("step", model + R"("decode": "8x100", "speculative_config": "{}"})").find("drafts"),
            std::string::npos);
  const std::string pool = R"({"model": "Llama-3.1-8B", "gpu": "H100-SXM"})";
  const std::string decodes =
      R"({"model": "Llama-3.1-8B", "gpu": "H100-SXM", "config": {"enable_chunked_prefill": false}})";
  const auto pools = [](const std::string& prefill, const std::string& decode) {
    return R"({"disaggregation": {"prefill": )" + prefill + R"(, "decode": )" + decode + "}}";
  };
  EXPECT_NE(refusal_of("simulate", pools(pool, decodes)).find("computes no prompts"), std::string::npos);
  EXPECT_EQ(refusal_of("simulate", pools(decodes, pool)).find("computes no prompts"), std::string::npos);
  // At its default a field says nothing.
  EXPECT_EQ(refusal_of("step", model + R"("decode": "8x100", "instances": 1})"), "");
  EXPECT_THROW(StepPrices(shipped_session(), asked(model + R"("instances": 2})")), InvalidInput);
}

TEST(Answer, RefusesNamesOfKernelsWhereNoneWasMeasured) {
  const std::string product = R"({"gpu": "H200", "family": "gemm", "m": 1, "n": 64, "k": 64, )";
  const std::string named = product + R"("predictor": "roofline", "framework": "vllm"})";
  EXPECT_NE(refusal_of("predict", named).find("framework is not modelled here"), std::string::npos);
  EXPECT_THROW(PreparedQuestion(shipped_session(), asked(named)), InvalidInput);
  EXPECT_NE(refusal_of("predict", R"({"gpu": "H200", "family": "moe", "tokens": 4, "routing": "balanced",
                                      "expert_routing": "uniform"})")
                .find("says the same"),
            std::string::npos);
}

TEST(Answer, DiagnosesABatchOnTheGpuThatItNames) {
  const std::string batch = R"({"gpu": "H200", "batch": 2, "input_tokens": 900, "output_tokens": 2, )";
  const Json flat = answer(shipped_session(), "diagnose", asked(batch + R"("model": "Llama-3.1-8B"})"));
  EXPECT_EQ(flat["gpu"], "h200_sxm");
  EXPECT_NE(
      refusal_of("diagnose", batch + R"("workload": {"setup": {"model": "Llama-3.1-8B", "gpu": "B200"}}})")
          .find("expected one GPU"),
      std::string::npos);
}

TEST(Answer, FollowsAndStopsALongRun) {
  std::atomic<bool> stop = true;
  double most = 0;
  const AnswerWatch watch{.progress = [&](double, double total) { most = std::max(most, total); },
                          .said = {},
                          .cancelled = &stop};
  const Json partial = answer(
      shipped_session(), "simulate",
      asked(R"({"model": "Llama-3.1-8B", "gpu": "H100-SXM", "requests": 3000, "intervals": false})"), watch);
  EXPECT_EQ(partial["partial"], true);
  EXPECT_LT(partial["completed"].get<int>(), 3000);
}

TEST(Answer, KnowsEveryRequestOfTheSchemaOrIsToldWhyNot) {
  const std::vector<std::string> names = answered_requests();
  for (const Json& one : {asked(R"({"name": "simulate"})"), asked(R"({"name": "plan_of_nothing"})")}) {
    if (one["name"] == "simulate")
      EXPECT_EQ(answer(shipped_session(), "schema", one)["title"], "simulate");
    else
      EXPECT_THROW(answer(shipped_session(), "schema", one), NotFound);
  }
  EXPECT_THROW(answer(shipped_session(), "simulat", {}), NotFound);
  EXPECT_GT(answer(shipped_session(), "gpus", {})["gpus"].size(), 20U);
  EXPECT_NE(std::find(names.begin(), names.end(), "validate_serving"), names.end());
}

}  // namespace
}  // namespace warploom
