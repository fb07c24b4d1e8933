// A decoding step reads every weight and every cached token from memory: between two uses of a layer's lie
// those of all others, more than any L2 holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/price_graph.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

std::shared_ptr<const LatencyModel> shipped_of_caches() {
  static const std::shared_ptr<const LatencyModel> model = open_latency_model("");
  return model;
}

ServingSetupRequest decoding_setup(const char* model, const std::string& gpu, const char* engine) {
  ServingSetupRequest request;
  request.model = model;
  request.gpu = gpu;
  request.config.engine = engine;
  request.config.enforce_eager = true;
  return request;
}

// Bytes of a step that are in no cache: weights, of experts those that the unluckiest routing hits, and the
// tokens that were cached before it.
double cold_bytes_of(const PricedGraph& graph) {
  double bytes = 0;
  for (const PricedNode& node : graph.nodes) {
    const Work work = work_of(node.node.op);
    double cold = 0;
    if (std::holds_alternative<Gemm>(node.node.op)) cold = work.weight_bytes.value();
    if (std::holds_alternative<FusedMoe>(node.node.op)) cold = work.least_weight_bytes.value();
    if (const auto view = attention_view(node.node.op)) {
      const AttentionTotals totals = attention_totals(*view);
      cold = work.cache_bytes.value() * (1 - totals.queries / totals.keys);
    }
    bytes += double(node.node.count) * cold;
  }
  return bytes;
}

// Nothing where the GPU lacks the memory or the types.
std::optional<ServingSetup> setup_that_runs(const char* model, const GpuSpec& gpu, const char* engine) {
  try {
    ServingSetup setup = resolve_serving(decoding_setup(model, gpu.name, engine), shipped_of_caches());
    price_graph(setup, StepShape::one_token_each(1, 1000));
    return setup;
  } catch (const Unsupported&) {
    return std::nullopt;
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
}

TEST(ColdCaches, NoDecodingStepIsFasterThanItsBytes) {
  const GpuCatalog catalog;
  constexpr std::array<const char*, 3> kEngines{"vllm", "sglang", "trtllm"};
  constexpr std::array<const char*, 4> kModels{"Qwen3-0.6B", "Llama-3.1-8B", "gpt-oss-20b",
                                               "DeepSeek-V2-Lite"};
  constexpr std::array<std::int64_t, 10> kRequests{1, 2, 4, 8, 16, 24, 32, 64, 128, 512};
  std::size_t steps = 0;
  for (const GpuSpec& gpu : catalog.gpus())
    for (const char* engine : kEngines)
      for (const char* model : kModels) {
        const std::optional<ServingSetup> setup = setup_that_runs(model, gpu, engine);
        if (!setup) continue;
        for (const std::int64_t requests : kRequests) {
          const PricedGraph graph = price_graph(*setup, StepShape::one_token_each(requests, 1000));
          const double least = cold_bytes_of(graph) / gpu.memory_bandwidth.value();
          const std::string where = gpu.name + " " + engine + " " + model + " " + std::to_string(requests);
          EXPECT_GE(graph.gpu.p10.value(), least * (1 - 1e-6)) << where;
          EXPECT_GE(graph.gpu.p50, graph.gpu.p10) << where;
          EXPECT_GE(graph.gpu.p90, graph.gpu.p50) << where;
          ++steps;
        }
      }
  EXPECT_GT(steps, 2000U);
}

// Weights of 1.19 GB and 24 x 1,000 tokens of 114,688 bytes at 864 GB/s.
TEST(ColdCaches, ASmallModelOnALargeL2ReadsItsBytesFromMemory) {
  const StepBreakdown step = price_step(
      {.setup = decoding_setup("Qwen3-0.6B", "l40s", "sglang"), .prefill = {}, .decode = "24x1000"},
      shipped_of_caches());
  EXPECT_GE(to_milliseconds(step.gpu_p10), 4.5);
  EXPECT_LT(to_milliseconds(step.gpu_p50), 7);
}

TEST(ColdCaches, RowsOfABenchmarkStayWarm) {
  const GpuSpec gpu = GpuCatalog().get("l40s");
  const AttentionDecode op{.heads = 32, .kv_heads = 8, .requests = {{.count = 16, .context_tokens = 1000}}};
  const auto time = [&](bool as_collected) {
    return to_microseconds(shipped_of_caches()->estimate(op, gpu, {"sglang", "", "", as_collected}).p50);
  };
  EXPECT_NEAR(time(true), 25, 5);
  EXPECT_GE(time(false), 75.9);
}

// Twice the requests read twice the bytes: no step where an L2 is full.
TEST(ColdCaches, GrowEvenlyWithRequests) {
  for (const char* name : {"l40s", "rtx_4090", "rtx_pro_6000_server", "l4"})
    for (const char* engine : {"vllm", "sglang"}) {
      const GpuSpec gpu = GpuCatalog().get(name);
      const auto time = [&](std::int64_t requests) {
        const AttentionDecode op{
            .heads = 32, .kv_heads = 8, .requests = {{.count = requests, .context_tokens = 1000}}};
        return shipped_of_caches()->estimate(op, gpu, {engine, "", ""}).p50.value();
      };
      for (std::int64_t requests = 8; requests <= 64; requests *= 2)
        EXPECT_LT(time(2 * requests), 2.6 * time(requests)) << name << " " << engine << " " << requests;
    }
}

}  // namespace
}  // namespace warploom
