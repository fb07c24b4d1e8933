// One operator, and many at once, through the predictor that is linked into the program.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

struct PredictionBench {
  Predictor predictor;
  GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  KernelContext context{.framework = "vllm", .version = {}, .kernel = {}};
};

// Reading the linked-in files is start-up cost, measured by BM_OpenPredictor; the others share one.
const PredictionBench& prediction_bench() {
  static const PredictionBench bench;
  return bench;
}

void predict_hot(benchmark::State& state, const Operator& op) {
  const PredictionBench& bench = prediction_bench();
  // The first answer of a family decodes its trees.
  benchmark::DoNotOptimize(bench.predictor.estimate(op, bench.gpu, bench.context));
  for (auto _ : state) benchmark::DoNotOptimize(bench.predictor.estimate(op, bench.gpu, bench.context));
  state.SetItemsProcessed(state.iterations());
}

const Operator kGemm = Gemm{.m = 4096, .n = 4096, .k = 4096};
const Operator kAttentionDecode =
    AttentionDecode{.heads = 32, .kv_heads = 8, .requests = {{.count = 64, .context_tokens = 2048}}};
const Operator kAttentionPrefill =
    AttentionPrefill{.heads = 32, .kv_heads = 8, .requests = {{.count = 4, .query_tokens = 1024}}};
const Operator kMoe = FusedMoe{.tokens = 512};

BENCHMARK_CAPTURE(predict_hot, gemm, kGemm)->Name("BM_PredictHot");
BENCHMARK_CAPTURE(predict_hot, attention_decode, kAttentionDecode)->Name("BM_PredictHot/attention_decode");
BENCHMARK_CAPTURE(predict_hot, attention_prefill, kAttentionPrefill)->Name("BM_PredictHot/attention_prefill");
BENCHMARK_CAPTURE(predict_hot, moe, kMoe)->Name("BM_PredictHot/moe");

// Llama-like projections at every fourth number of tokens: no shape twice.
std::vector<Operator> distinct_gemms() {
  constexpr std::array<std::array<std::int64_t, 2>, 4> kProjections{
      {{6144, 4096}, {4096, 4096}, {28672, 4096}, {4096, 14336}}};
  constexpr std::int64_t kTokenCounts = 512;
  std::vector<Operator> gemms;
  for (const auto& [n, k] : kProjections) {
    for (std::int64_t i = 1; i <= kTokenCounts; ++i) gemms.push_back(Gemm{.m = 4 * i, .n = n, .k = k});
  }
  return gemms;
}

void BM_PredictBatch(benchmark::State& state) {
  const PredictionBench& bench = prediction_bench();
  const std::vector<Operator> gemms = distinct_gemms();
  std::vector<LatencyEstimate> results(gemms.size());
  for (auto _ : state) {
    bench.predictor.estimate_batch(gemms, bench.gpu, bench.context, results);
    benchmark::DoNotOptimize(results.data());
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t(gemms.size()));
}
BENCHMARK(BM_PredictBatch)->Unit(benchmark::kMillisecond)->UseRealTime();

// From nothing to the first answer.
void BM_OpenPredictor(benchmark::State& state) {
  const PredictionBench& bench = prediction_bench();
  for (auto _ : state) {
    const Predictor predictor;
    benchmark::DoNotOptimize(predictor.estimate(kGemm, bench.gpu, bench.context));
  }
}
BENCHMARK(BM_OpenPredictor)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warploom
