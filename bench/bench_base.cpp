// What every long run leans on: random draws and CSV rows.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "warploom/base/csv.h"
#include "warploom/base/file.h"
#include "warploom/base/random.h"

namespace warploom {
namespace {

void BM_RandomDraw(benchmark::State& state) {
  RandomStream stream(1, "bench");
  for (auto _ : state) benchmark::DoNotOptimize(stream.next());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_RandomDraw);

void BM_CsvRead(benchmark::State& state) {
  constexpr int kRows = 20'000;
  const auto path = std::filesystem::temp_directory_path() / "warploom_bench_rows.csv";
  std::string text = "name,m,n,k,latency_us\n";
  for (int i = 0; i < kRows; ++i) text += "gemm," + std::to_string(i) + ",4096,4096,12.625\n";
  write_file_atomically(path, text);
  for (auto _ : state) {
    CsvReader reader(path);
    double sum = 0.0;
    while (reader.next()) sum += static_cast<double>(reader.integer(1)) + reader.real(4);
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  std::filesystem::remove(path);
}
BENCHMARK(BM_CsvRead)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warploom
