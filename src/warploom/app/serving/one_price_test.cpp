// One operator has one price, whichever command asks for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/predict_operator.h"
#include "warploom/app/serving/price_graph.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/app/tune/diagnose.h"
#include "warploom/base/error.h"
#include "warploom/predictor/predictor.h"
#include "warploom/steps/step_kernels.h"

namespace warploom {
namespace {

constexpr std::array<const char*, 3> kEngines{"vllm", "sglang", "trtllm"};
constexpr std::array<const char*, 4> kGpus{"h100_sxm", "h200_sxm", "b200_sxm", "a100_sxm"};

std::shared_ptr<const LatencyModel> shipped_predictor() {
  static const std::shared_ptr<const LatencyModel> model = open_latency_model("");
  return model;
}

ServingSetupRequest request_of(const char* model, const char* gpu, const char* engine, std::int64_t tp) {
  ServingSetupRequest request;
  request.model = model;
  request.gpu = gpu;
  request.config.engine = engine;
  request.config.tensor_parallel_size = tp;
  request.config.enforce_eager = true;  // no padding: a step's operators are those of its own size
  return request;
}

// Together their graphs hold every family that a graph can hold.
const std::vector<std::pair<const char*, std::int64_t>>& models() {
  static const std::vector<std::pair<const char*, std::int64_t>> all{
      {"Llama-3.1-8B", 1},
      {"Qwen3-32B-FP8", 2},
      {"nvidia/Llama-3.1-70B-Instruct-FP8", 4},
      {"gpt-oss-120b", 4},
      {"DeepSeek-V3", 8},
      {"Qwen3-Next-80B-A3B-Instruct", 4},
      {"gemma-3-27b-it", 2},
      {"Llama-4-Scout-17B-16E-Instruct", 8},
      {"gemma-4-26B-A4B", 2},
      {"MiMo-V2-Flash", 8},
  };
  return all;
}

// The shapes: one chunk of prompt, and decoding requests at a point of the pricer's grids.
StepShape prefill_shape() { return StepShape::whole_prompts(1, 64); }
StepShape decode_shape() { return StepShape::one_token_each(8, 512); }

// Runs `check` with every engine, GPU and model that the GPU can run.
template <class Check>
void for_each_setup(Check check) {
  for (const char* engine : kEngines) {
    for (const char* gpu : kGpus) {
      for (const auto& [model, tp] : models()) {
        SCOPED_TRACE(std::string(engine) + " " + gpu + " " + model);
        std::optional<ServingSetup> setup;
        try {
          setup = resolve_serving(request_of(model, gpu, engine, tp), shipped_predictor(), MemoryCheck::None);
          price_graph(*setup, decode_shape());
        } catch (const Unsupported&) {
          continue;  // no units for the checkpoint's types
        }
        check(*setup, engine, gpu);
      }
    }
  }
}

TEST(OnePrice, PredictAnswersWhatAStepOfTheEngineTakes) {
  std::set<Family> families;
  std::size_t compared = 0;
  for_each_setup([&](const ServingSetup& setup, const char* engine, const char* gpu) {
    for (const StepShape& shape : {prefill_shape(), decode_shape()}) {
      for (const PricedNode& priced : price_graph(setup, shape).nodes) {
        const PredictResult said =
            predict_operator({.op = priced.node.op, .gpu = gpu, .framework = engine}, *shipped_predictor());
        EXPECT_EQ(said.estimate.p50, priced.one_call.p50) << priced.node.label;
        EXPECT_EQ(said.estimate.p10, priced.one_call.p10) << priced.node.label;
        EXPECT_EQ(said.estimate.p90, priced.one_call.p90) << priced.node.label;
        EXPECT_EQ(said.kernel, priced.source.kernel) << priced.node.label;
        families.insert(family_of(priced.node.op));
        ++compared;
      }
    }
  });
  EXPECT_GT(compared, 1500u);
  for (const Family family :
       {Family::Gemm, Family::AttentionPrefill, Family::AttentionDecode, Family::MlaPrefill,
        Family::MlaDecode, Family::Moe, Family::RmsNorm, Family::Activation, Family::Elementwise,
        Family::Rope, Family::KvWrite, Family::Embedding, Family::Sampling, Family::LinearAttention,
        Family::AllReduce, Family::AllGather, Family::Quantize})
    EXPECT_TRUE(families.count(family) > 0) << name_of(family);
}

TEST(OnePrice, PredictAnswersForTheKernelThatItNames) {
  for (const char* gpu : kGpus) {
    for (const Operator& op :
         std::vector<Operator>{Activation{.tokens = 16, .width = 14336}, RmsNorm{.tokens = 64, .width = 4096},
                               Rope{.tokens = 9}, KvWrite{.tokens = 700}, Gemm{.m = 64, .n = 4096, .k = 4096},
                               Embedding{.tokens = 16}}) {
      const PredictResult first = predict_operator({.op = op, .gpu = gpu}, *shipped_predictor());
      const PredictResult again = predict_operator({.op = op,
                                                    .gpu = gpu,
                                                    .framework = first.framework,
                                                    .version = first.version,
                                                    .kernel = first.kernel},
                                                   *shipped_predictor());
      EXPECT_EQ(first.estimate.p50, again.estimate.p50) << gpu << " " << name_of(family_of(op));
      EXPECT_EQ(first.kernel, again.kernel);
    }
  }
}

TEST(OnePrice, ASweptKernelKeepsItsMeasuredPrice) {
  const Operator op = RmsNorm{.tokens = 16, .width = 4096};
  const PredictResult engine =
      predict_operator({.op = op, .gpu = "h100_sxm", .framework = "vllm"}, *shipped_predictor());
  const PredictResult swept =
      predict_operator({.op = op, .gpu = "h100_sxm", .kernel = "vidur"}, *shipped_predictor());
  EXPECT_EQ(engine.kernel, kStreamingKernel);
  EXPECT_EQ(swept.kernel, "vidur");
  EXPECT_EQ(swept.estimate.p50,
            predictor_of(*shipped_predictor())->estimate(op, swept.gpu, {"", "", "vidur"}).p50);
}

TEST(OnePrice, StepListsTheSame) {
  for (const char* engine : kEngines) {
    const ServingSetupRequest request = request_of("Llama-3.1-8B", "h100_sxm", engine, 1);
    const StepBreakdown step =
        price_step({.setup = request, .prefill = {}, .decode = "8x512"}, shipped_predictor());
    const PricedGraph graph = price_graph(resolve_serving(request, shipped_predictor()), decode_shape());
    std::map<std::string, double> seconds;
    for (const PricedNode& priced : graph.nodes)
      seconds[std::string(priced.node.label)] += priced.one_call.p50.value() * double(priced.node.count);
    double sum = 0;
    std::map<std::string, double> listed;
    for (const KernelRow& row : step.kernels) listed[row.label] += row.p50.value();
    for (const auto& [label, time] : seconds) {
      EXPECT_NEAR(listed[label], time, 1e-15) << engine << " " << label;
      sum += time;
    }
    EXPECT_NEAR(step.gpu_p50.value(), sum, 1e-12);
    EXPECT_EQ(step.host, graph.host);
  }
}

TEST(OnePrice, SimulationPricesTheSame) {
  for_each_setup([&](const ServingSetup& setup, const char*, const char*) {
    const std::vector<std::int32_t> contexts(8, 512);
    StepBatch batch;
    batch.set_decode(contexts);
    batch.emitting = batch.logits_rows = 8;
    const std::unique_ptr<StepPricer> pricer = setup.pricer->clone();
    const StepCost cost = pricer->price(batch);
    const PricedGraph graph = price_graph(setup, decode_shape());
    EXPECT_NEAR(cost.p50.value(), graph.gpu.p50.value(), 1e-12 * cost.p50.value() + 1e-15);
    std::map<std::pair<std::string, std::string>, double> seconds;
    for (const PricedNode& priced : graph.nodes)
      seconds[{std::string(priced.node.label), priced.source.kernel}] +=
          priced.one_call.p50.value() * double(priced.node.count);
    for (const KernelTime& kernel : pricer->breakdown()) {
      double& left = seconds[{kernel.label, kernel.source.kernel}];
      left -= kernel.time.value();
    }
    for (const auto& [kernel, left] : seconds) EXPECT_NEAR(left, 0, 1e-12) << kernel.first;
  });
}

TEST(OnePrice, DiagnoseRanksByThePricesOfStatic) {
  for (const char* engine : kEngines) {
    StaticBatchRequest workload{.setup = request_of("Llama-3.1-8B", "h100_sxm", engine, 1),
                                .batch = 8,
                                .input_tokens = 512,
                                .output_tokens = 64};
    workload.setup.config.enforce_eager = false;
    const StaticBreakdown batch = price_static_batch(workload, shipped_predictor());
    DiagnoseRequest request;
    request.gpu = "h100_sxm";
    request.workload = workload;
    const Diagnosis found = diagnose(request);
    ASSERT_EQ(found.changes.size(), 2u);
    EXPECT_EQ(found.changes[0].now, batch.time.prefill);
    EXPECT_EQ(found.changes[1].now, batch.time.decode_mean);
    EXPECT_NE(found.groups.front().label, "silu_and_mul") << "a rule's price is no kernel to tune";
    for (const DiagnosedKernel& kernel : found.kernels) {
      const PredictResult said =
          predict_operator({.op = kernel.op, .gpu = "h100_sxm", .framework = engine}, *shipped_predictor());
      EXPECT_EQ(kernel.actual, said.estimate.p50) << engine << " " << kernel.label;
    }
  }
}

TEST(OnePrice, RunsSayWhichKernelAnswered) {
  const StaticBreakdown batch =
      price_static_batch({.setup = request_of("Llama-3.1-8B", "h100_sxm", "vllm", 1),
                          .batch = 8,
                          .input_tokens = 512,
                          .output_tokens = 64},
                         shipped_predictor());
  bool attention = false, norm = false;
  for (const KernelTime& kernel : batch.kernels) {
    attention = attention || (kernel.family == Family::AttentionDecode && kernel.source.framework == "vllm" &&
                              kernel.source.kernel == "vllm_flash_attn_fa3");
    norm = norm || (kernel.family == Family::RmsNorm && kernel.source.kernel == kStreamingKernel);
  }
  EXPECT_TRUE(attention);
  EXPECT_TRUE(norm);
  for (const KernelTime& kernel : batch.kernels) {
    if (kernel.family == Family::AttentionDecode) {
      EXPECT_EQ(kernel.source.tier, Tier::Measured);
    }
  }
}

}  // namespace
}  // namespace warploom
