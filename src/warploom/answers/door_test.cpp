// What was accepted from JSON and changed nothing, or was answered otherwise than on the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warploom/answers/answer.h"
#include "warploom/answers/step_prices.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

const Session& session() {
  static const Session opened("roofline");
  return opened;
}

Json few_requests(const std::string& more = "") {
  return parse_json(R"({"model": "Qwen/Qwen3-30B-A3B", "gpu": "H200", "random_input_len": 400, "requests": 4,
                        "random_output_len": 8, "intervals": false)" +
                        more + "}",
                    "test");
}

std::string refusal_of(const std::string& request, const Json& asked) {
  try {
    answer(session(), request, asked);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The sidecar that moe_config writes.
std::filesystem::path tuned_file(const ScratchFolder& folder) {
  answer(session(), "moe_config",
         {{"model", "Qwen/Qwen3-30B-A3B"}, {"gpu", "H200"}, {"output", folder.path().string()}});
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().string().ends_with(".warploom.json")) return entry.path();
  return {};
}

TEST(Door, RunsWithTunedKernelsHoweverItIsAsked) {
  const ScratchFolder folder;
  const std::string file = tuned_file(folder).string();
  const Session shipped;
  Json asked = few_requests();
  asked["requests"] = 12;            // together: single prompts gain nothing
  asked["random_input_len"] = 2000;  // so that steps wait for kernels, not for the host
  const Json plain = answer(shipped, "simulate", asked);
  asked["tuned"] = file;
  const Json tuned = answer(shipped, "simulate", asked);
  ASSERT_TRUE(tuned.contains("tuned"));
  EXPECT_FALSE(plain.contains("tuned"));
  const Json& ttft = tuned["tuned"]["ttft"];
  EXPECT_NE(ttft["least_ms"], ttft["most_ms"]);
  EXPECT_EQ(ttft["expected_ms"], tuned["mean_ttft_ms"]);
  EXPECT_EQ(ttft["before_ms"], plain["mean_ttft_ms"]);
}

TEST(Door, RefusesATunedFileThatIsMissingOrNone) {
  const ScratchFolder folder;
  folder.write("garbage.warploom.json", "garbage");
  folder.write("garbage.wlt", "garbage");
  for (const char* name : {"missing.warploom.json", "missing.wlt", "garbage.warploom.json", "garbage.wlt"}) {
    const std::string file = (folder.path() / name).string();
    const std::string said = refusal_of("simulate", few_requests(", \"tuned\": \"" + file + "\""));
    EXPECT_NE(said.find(name), std::string::npos) << name << ": " << said;
  }
}

TEST(Door, RefusesWhatChangesNothingByItself) {
  const auto says = [](const std::string& more, const std::string& text) {
    const std::string said = refusal_of("simulate", few_requests(more));
    EXPECT_NE(said.find(text), std::string::npos) << more << ": " << said;
  };
  says(R"(, "traced_steps": 3)", "traced_steps changes nothing by itself, expected the view `perfetto` too");
  says(R"(, "trace_from_s": 3)", "trace_from_s changes nothing by itself");
  says(R"(, "image_tokens": 300)", "image_tokens changes nothing by itself, expected `images_per_request`");
  says(R"(, "scale_queue_depth": 3)", "scale_queue_depth: no pool scales, expected `max_instances`");
  says(R"(, "views": ["perfeto"])", "did you mean 'perfetto'");
}

TEST(Door, GivesARunAsOtherProgramsShowIt) {
  const Json run =
      answer(session(), "simulate",
             few_requests(R"(, "views": ["perfetto", "aiperf"], "traced_steps": 2, "trace_from_s": 0)"));
  EXPECT_TRUE(parse_json(run["views"]["perfetto"].get<std::string>(), "trace").contains("traceEvents"));
  const std::string lines = run["views"]["aiperf"];
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4);
  EXPECT_FALSE(answer(session(), "simulate", few_requests()).contains("views"));
}

TEST(Door, RefusesWhatIsNoVersionOfAnEngine) {
  const std::string setup = R"({"model": "Qwen/Qwen3-8B", "gpu": "H200", "engine_version": "latest")";
  const auto asked = [&](const std::string& more) { return parse_json(setup + more + "}", "test"); };
  const std::string refused = "engine_version: 'latest' is no version, expected for example 0.24.0";
  EXPECT_EQ(refusal_of("simulate", asked("")), refused);
  EXPECT_EQ(refusal_of("step", asked(R"(, "decode": "8x100")")), refused);
  EXPECT_EQ(refusal_of("static", asked(R"(, "input_tokens": 9, "output_tokens": 9)")), refused);
  EXPECT_EQ(refusal_of("diagnose", asked(R"(, "input_tokens": 9, "output_tokens": 9)")), refused);
  EXPECT_THROW(StepPrices(session(), asked("")), InvalidInput);
}

Json pools(const std::string& prefill, const std::string& decode, const std::string& more = "") {
  const std::string setup = R"({"model": "Qwen/Qwen3-8B", "gpu": "H200")";
  return parse_json(R"({"random_input_len": 100, "requests": 4, "random_output_len": 8, "intervals": false,
                        "disaggregation": {"prefill": )" +
                        setup + prefill + R"(}, "decode": )" + setup + decode + "}}" + more + "}",
                    "test");
}

TEST(Door, OpensThePredictorThatEitherPoolNames) {
  static const Session shipped;
  const auto tiers = [](const Json& asked) { return answer(shipped, "simulate", asked)["tier_shares"]; };
  const std::string roofline = R"(, "predictor": "roofline")";
  const Json learned = tiers(pools("", "")), structural = tiers(pools(roofline, roofline));
  EXPECT_NE(learned, structural);
  EXPECT_EQ(tiers(pools("", roofline)), structural);
  EXPECT_EQ(tiers(pools(roofline, "")), structural);
  const std::string both = R"(, "setup": {"model": "Qwen/Qwen3-8B", "gpu": "H200")" + roofline + "}";
  EXPECT_EQ(tiers(pools("", "", both)), structural);
  const std::string said = refusal_of("simulate", pools(roofline, R"(, "predictor": "other")"));
  EXPECT_EQ(said, "predictor: prefill says 'roofline' and decode 'other', expected one of them for both");
}

TEST(Door, RefusesPoolsOfTwoEngines) {
  const std::string said = refusal_of("simulate", pools("", R"(, "config": {"engine": "sglang"})"));
  EXPECT_EQ(said, "disaggregation: prefill is of vllm and decode of sglang, expected one engine");
}

TEST(Door, RefusesAnOperatorWithoutASize) {
  EXPECT_EQ(refusal_of("predict", {{"gpu", "H200"}, {"family", "gemm"}}),
            "predict gemm: `m`, `n`, `k` are missing, expected every size: they have no default");
  EXPECT_EQ(refusal_of("predict", {{"gpu", "H200"}, {"family", "gemm"}, {"m", 7}, {"n", 8}, {"k", 9}}), "");
  const std::string one = "predict gemm: `k` is missing, expected every size: they have no default";
  EXPECT_EQ(refusal_of("predict", {{"gpu", "H200"}, {"family", "gemm"}, {"m", 7}, {"n", 8}}), one);
  EXPECT_EQ(refusal_of("predict", {{"gpu", "H200"}, {"family", "gemm"}, {"m", 7}, {"n", 8}, {"k", nullptr}}),
            one);
  EXPECT_EQ(
      refusal_of("predict", {{"gpu", "H200"}, {"family", "moe"}, {"tokens", 100}}),
      "predict moe: `hidden`, `intermediate`, `experts`, `top_k` are missing, expected every size: they have "
      "no default");
  EXPECT_EQ(
      refusal_of("predict", {{"gpu", "H200"}, {"family", "attention_decode"}, {"batch", 4}, {"context", 9}}),
      "predict attention_decode: `heads`, `kv_heads` are missing, expected every size: they have no default");
}

TEST(Door, SendsAllAtOnceWhenTheRateIsInfinite) {
  const Json run = answer(session(), "simulate", few_requests(R"(, "request_rate": "inf")"));
  EXPECT_EQ(run["request_rate"], "inf");
}

TEST(Door, PlansWithWhatStartsThem) {
  Json asked =
      parse_json(R"({"model": "Qwen/Qwen3-8B", "gpu_names": ["H100-SXM"], "tensor_parallel_sizes": [1],
      "max_gpus": 2, "slo": ["ttft_p95_ms=300"], "random_input_len": 400, "random_output_len": 40, "rate": 5,
      "requests": 20, "emit": "vllm", "views": ["svg"]})",
                 "test");
  asked["check"] = std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/clients/vllm_bench.json";
  const Json plan = answer(session(), "plan", asked);
  std::vector<std::string> names;
  for (const Json& file : plan["emit"]) names.push_back(file["name"]);
  EXPECT_NE(std::find(names.begin(), names.end(), "start.sh"), names.end());
  EXPECT_TRUE(plan["check"].contains("kept"));
  EXPECT_TRUE(plan["views"]["svg"].get<std::string>().starts_with("<svg"));
  asked["emit"] = "vlm";
  EXPECT_NE(refusal_of("plan", asked).find("vlm"), std::string::npos);
}

TEST(Door, RefusesFieldsOfAKernelThatBearOnNothing) {
  const auto said = [](const std::string& fields) {
    return refusal_of("tune_plan", parse_json(R"({"gpu": "H200", )" + fields + "}", "test"));
  };
  EXPECT_EQ(
      said(R"("experts": 4)"),
      "tune plan: `experts` bears on `kind` grouped_gemm, but the kind is gemm; expected that kind or no "
      "`experts`");
  EXPECT_NE(said(R"("rotation": 1)").find("expected `samples` with it"), std::string::npos);
  EXPECT_EQ(said(R"("kind": "attention", "head_dim": 64)"), "");
}

// Each engine has names of its own for these on the command line; JSON has the field alone.
TEST(Door, TakesFieldsThatAnEngineHasByAnotherName) {
  const auto said = [](const std::string& fields) {
    return refusal_of("simulate", few_requests(", " + fields));
  };
  EXPECT_EQ(said(R"("engine": "sglang", "cudagraph_capture_sizes": [1, 8])"), "");
  EXPECT_EQ(said(R"("engine": "trtllm", "max_cudagraph_capture_size": 8)"), "");
  EXPECT_NE(said(R"("engine": "vllm", "schedule_conservativeness": 2)").find("is a flag of sglang"),
            std::string::npos);
}

// A table of one GPU misleads on another, and nobody sees it.
TEST(Door, TunesForNoGpuThatIsNotNamed) {
  const std::string samples = std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/tuner/gemm_anchors.csv.gz";
  const Json timed = {{"samples", Json::array({samples})}};
  EXPECT_EQ(refusal_of("tune_fit", timed), "tune_fit: 'gpu' is missing, tune_fit needs it");
  EXPECT_EQ(refusal_of("tune_plan", Json::object()), "tune_plan: 'gpu' is missing, tune_plan needs it");
  EXPECT_NE(refusal_of("tune_fit_cross_gpu", Json::object()).find("'gpu' is missing"), std::string::npos);
}

TEST(Door, DiagnosesWithTheSessionsPredictor) {
  const Json asked = {
      {"model", "Qwen/Qwen3-8B"}, {"gpu", "H200"}, {"input_tokens", 64}, {"output_tokens", 2}};
  Json named = asked;
  named["predictor"] = "roofline";
  EXPECT_EQ(answer(session(), "diagnose", asked), answer(session(), "diagnose", named));
}

}  // namespace
}  // namespace warploom
