// One decision of the auto-tuner, in C++ and through the C interface.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/capi/warploom.h"
#include "warploom/judge/wavetune/wavetune_table.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {
namespace {

// The tables of the stored H200 measurements, ours and the published model's; shapes that a server meets, in
// no order.
struct Setup {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "warploom_bench_table.wlt";
  std::vector<TileShape> shapes;
  std::vector<TileSample> samples;

  Setup() {
    const std::filesystem::path folder = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/tuner";
    const std::vector<std::filesystem::path> files{folder / "gemm_anchors.csv.gz"};
    samples = read_tile_samples(files).rows;
    RuntimeTable::build(fit_wave_model({}, {}, samples)).write(path);
    RandomStream draw(1, "bench tuner");
    for (int i = 0; i < 1024; ++i)
      shapes.push_back({std::int64_t(std::exp2(draw.uniform(0, 13))),
                        16 * std::int64_t(std::exp2(draw.uniform(4, 10))),
                        16 * std::int64_t(std::exp2(draw.uniform(3, 10)))});
  }
};
const Setup& setup() {
  static const Setup made;
  return made;
}

void BM_TunePick(benchmark::State& state) {
  const RuntimeTable table = RuntimeTable::open(setup().path);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(table.pick(setup().shapes[i++ % 1024]));
}
BENCHMARK(BM_TunePick);

void BM_TunePickC(benchmark::State& state) {
  warploom_tune_table* table = nullptr;
  warploom_tune_open(setup().path.c_str(), nullptr, nullptr, &table, nullptr, 0);
  warploom_tile_config config{};
  std::size_t i = 0;
  for (auto _ : state) {
    const TileShape& shape = setup().shapes[i++ % 1024];
    warploom_tune_pick(table, shape.m, shape.n, shape.k, &config);
    benchmark::DoNotOptimize(config);
  }
  warploom_tune_close(table);
}
BENCHMARK(BM_TunePickC);

// A layer of 64 experts that asks at numbers of tokens seen before, beside what it launches without a table.
void BM_TuneExpertsC(benchmark::State& state) {
  const std::filesystem::path folder = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/tuner";
  const std::vector<std::filesystem::path> files{folder / "h100" / "grouped_e64_anchors.csv.gz"};
  const TileKernel kernel{.kind = TileKernelKind::GroupedGemm, .experts = 64, .top_k = 6};
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "warploom_bench_experts.wlt";
  RuntimeTable::build(fit_wave_model(kernel, {}, read_tile_samples(files).rows)).write(path);
  warploom_tune_table* table = nullptr;
  warploom_tune_open(path.c_str(), nullptr, nullptr, &table, nullptr, 0);
  const warploom_expert_layer layer{.hidden = 2048, .width = 1408, .top_k = 6, .expert_parallel = 1};
  warploom_tune_experts* experts = nullptr;
  warploom_tune_experts_open(table, &layer, &experts, nullptr, 0);
  constexpr std::size_t kCounts = 256;
  warploom_tile_config own{.tile_m = 64, .tile_n = 64, .tile_k = 32, .warps = 4, .stages = 3, .split_k = 1};
  warploom_expert_pick pick{};
  for (std::size_t tokens = 1; tokens <= kCounts; ++tokens)
    warploom_tune_experts_pick(experts, std::int64_t(tokens), &own, &pick);
  std::size_t i = 0;
  for (auto _ : state) {
    warploom_tune_experts_pick(experts, std::int64_t(1 + i++ % kCounts), &own, &pick);
    benchmark::DoNotOptimize(pick);
  }
  warploom_tune_experts_close(experts);
  warploom_tune_close(table);
}
BENCHMARK(BM_TuneExpertsC);

// The published decision in two stages, on the same shapes as BM_TunePick.
void BM_TunePickWaveTune(benchmark::State& state) {
  const WaveTuneTable table(fit_wavetune({}, {}, setup().samples));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(table.pick(setup().shapes[i++ % 1024]));
}
BENCHMARK(BM_TunePickWaveTune);

void BM_WaveTuneFit(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(fit_wavetune({}, {}, setup().samples).anchors);
}
BENCHMARK(BM_WaveTuneFit)->Unit(benchmark::kMillisecond);

void BM_TuneOpen(benchmark::State& state) {
  const auto path = setup().path;
  for (auto _ : state) benchmark::DoNotOptimize(RuntimeTable::open(path).cells());
}
BENCHMARK(BM_TuneOpen)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace warploom
