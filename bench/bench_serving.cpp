// A step's price and a whole serving run: Llama-3.1-8B on one H100 SXM.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/random.h"
#include "warploom/serving/kv/kv_tiers.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/fitted_workload.h"

namespace warploom {
namespace {

struct ServingBench {
  ServingSetup setup = resolve_serving({.model = "Llama-3.1-8B", .gpu = "h100_sxm"}, open_latency_model(""));
};

const ServingBench& serving_bench() {
  static const ServingBench bench;
  return bench;
}

// Sixty-four requests whose contexts grow by a token each step, as in a run.
void BM_StepPrice(benchmark::State& state) {
  constexpr std::int32_t kRequests = 64, kFirstContext = 512, kSpread = 16, kSteps = 256;
  const std::unique_ptr<StepPricer> pricer = serving_bench().setup.pricer->clone();
  std::vector<std::int32_t> contexts(kRequests);
  StepBatch batch;
  batch.decode_requests = batch.emitting = batch.logits_rows = batch.group_tokens = kRequests;
  const auto place = [&](std::int32_t step) {
    for (std::int32_t i = 0; i < kRequests; ++i) {
      contexts[std::size_t(i)] = kFirstContext + kSpread * i + step;
    }
    batch.decode_context_sum = std::accumulate(contexts.begin(), contexts.end(), std::int64_t{0});
    batch.decode_context_max = contexts.back();
  };
  for (std::int32_t step = 0; step < kSteps; ++step) {  // fills the tables
    place(step);
    benchmark::DoNotOptimize(pricer->price(batch));
  }
  std::int32_t step = 0;
  for (auto _ : state) {
    place(step);  // some tens of ns of the time
    benchmark::DoNotOptimize(pricer->price(batch));
    step = (step + 1) % kSteps;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_StepPrice);

// Units of twice as many hashes as the tier holds, at random: about half of them are there.
void BM_HostTier(benchmark::State& state) {
  constexpr std::int64_t kUnitTokens = 16;
  constexpr std::size_t kAsked = 1U << 20;
  KvTiers tiers({.cpu_tokens = state.range(0) * kUnitTokens}, kUnitTokens);
  RandomStream draws(1, "host_tier");
  std::vector<std::uint64_t> hashes(std::size_t(2 * state.range(0))), asked(kAsked);
  for (std::uint64_t& hash : hashes) hash = draws.next();
  for (std::uint64_t& hash : asked) hash = hashes[draws.next() % hashes.size()];
  std::size_t next = 0;
  for (auto _ : state) tiers.store(asked[next++ % kAsked]);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HostTier)->Arg(1'000)->Arg(30'000)->Arg(1'000'000);

// Five requests per second: the GPU is busy but its queue does not grow. Each run starts with empty tables.
void BM_SimulateRequests(benchmark::State& state) {
  constexpr double kRate = 5.0;
  const ServingSetup& setup = serving_bench().setup;
  const Workload workload = sample_workload(fitted_workload("conversation"), state.range(0), kRate, 1);
  ServingMetrics metrics;
  for (auto _ : state) metrics = simulate(setup.config, workload, *setup.pricer).metrics;
  if (metrics.completed != state.range(0)) state.SkipWithError("not every request was completed");
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["p50_ttft_ms"] = to_milliseconds(metrics.ttft.p50);
  state.counters["p99_ttft_ms"] = to_milliseconds(metrics.ttft.p99);
  state.counters["p50_tpot_ms"] = to_milliseconds(metrics.tpot.p50);
  state.counters["tokens_per_s"] = metrics.output_throughput;
}
BENCHMARK(BM_SimulateRequests)->Arg(20'000)->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
}  // namespace warploom
