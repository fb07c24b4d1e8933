// One operator, and many at once, through the predictor that is linked into the program.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

// The folder in WARPLOOM_PREDICTOR, else what is linked in.
Predictor open_predictor() {
  const char* folder = std::getenv("WARPLOOM_PREDICTOR");
  return folder != nullptr ? Predictor(std::filesystem::path(folder)) : Predictor();
}

struct PredictionBench {
  Predictor predictor = open_predictor();
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

std::vector<Operator> distinct_decodes() {
  std::vector<Operator> decodes;
  for (const std::int64_t kv_heads : {1, 2, 4, 8})
    for (std::int64_t requests = 1; requests <= 16; ++requests)
      for (std::int64_t context = 1; context <= 32; ++context)
        decodes.push_back(
            AttentionDecode{.heads = 4 * kv_heads,
                            .kv_heads = kv_heads,
                            .requests = {{.count = 8 * requests, .context_tokens = 200 * context}}});
  return decodes;
}

std::vector<Operator> distinct_prefills() {
  std::vector<Operator> prefills;
  for (const std::int64_t kv_heads : {1, 2, 4, 8})
    for (std::int64_t requests = 1; requests <= 16; ++requests)
      for (std::int64_t tokens = 1; tokens <= 32; ++tokens)
        prefills.push_back(AttentionPrefill{.heads = 4 * kv_heads,
                                            .kv_heads = kv_heads,
                                            .requests = {{.count = requests, .query_tokens = 100 * tokens}}});
  return prefills;
}

std::vector<Operator> distinct_moes() {
  std::vector<Operator> moes;
  for (const std::int64_t experts : {8, 64, 128, 256})
    for (std::int64_t tokens = 1; tokens <= 512; ++tokens)
      moes.push_back(FusedMoe{.tokens = 8 * tokens, .experts = experts, .top_k = experts > 8 ? 8 : 2});
  return moes;
}

// A step's mix: the others interleaved.
std::vector<Operator> distinct_mix() {
  const std::array<std::vector<Operator>, 4> kinds{distinct_gemms(), distinct_decodes(), distinct_prefills(),
                                                   distinct_moes()};
  std::vector<Operator> mix;
  for (std::size_t i = 0; i < 2048; ++i) mix.push_back(kinds[i % kinds.size()][i]);
  return mix;
}

void predict_batch(benchmark::State& state, const std::vector<Operator>& operators) {
  const PredictionBench& bench = prediction_bench();
  std::vector<LatencyEstimate> results(operators.size());
  for (auto _ : state) {
    bench.predictor.estimate_batch(operators, bench.gpu, bench.context, results);
    benchmark::DoNotOptimize(results.data());
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t(operators.size()));
}
BENCHMARK_CAPTURE(predict_batch, gemm, distinct_gemms())
    ->Name("BM_PredictBatch")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_batch, attention_decode, distinct_decodes())
    ->Name("BM_PredictBatch/attention_decode")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_batch, attention_prefill, distinct_prefills())
    ->Name("BM_PredictBatch/attention_prefill")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_batch, moe, distinct_moes())
    ->Name("BM_PredictBatch/moe")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_batch, mix, distinct_mix())
    ->Name("BM_PredictBatch/mix")
    ->Unit(benchmark::kMillisecond);

// From nothing to the first answer.
void BM_OpenPredictor(benchmark::State& state) {
  const PredictionBench& bench = prediction_bench();
  for (auto _ : state) {
    const Predictor predictor = open_predictor();
    benchmark::DoNotOptimize(predictor.estimate(kGemm, bench.gpu, bench.context));
  }
}
BENCHMARK(BM_OpenPredictor)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warploom
