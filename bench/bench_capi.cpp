// What the C interface adds to the functions behind it.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "warploom/answers/prepared_question.h"
#include "warploom/capi/warploom.h"

namespace warploom {
namespace {

constexpr const char* kCapiGemm = R"({"gpu": "H100-SXM", "family": "gemm", "m": 64, "n": 4096, "k": 4096})";

void BM_PredictQuestion(benchmark::State& state) {
  const Session session;
  const PreparedQuestion question(session, parse_json(kCapiGemm, "bench"));
  for (auto _ : state) benchmark::DoNotOptimize(question.estimate());
}
BENCHMARK(BM_PredictQuestion);

void BM_PredictQuestionC(benchmark::State& state) {
  warploom_session* session = nullptr;
  warploom_question* question = nullptr;
  if (warploom_open(nullptr, &session, nullptr, 0) != WARPLOOM_OK ||
      warploom_question_open(session, kCapiGemm, &question, nullptr, 0) != WARPLOOM_OK)
    state.SkipWithError("the question was refused");
  warploom_prediction prediction{};
  for (auto _ : state) {
    warploom_predict(question, &prediction, nullptr, 0);
    benchmark::DoNotOptimize(prediction);
  }
  warploom_question_close(question);
  warploom_close(session);
}
BENCHMARK(BM_PredictQuestionC);

// The sizes of distinct_gemms in bench_prediction.cpp, as columns.
void BM_PredictRowsC(benchmark::State& state) {
  std::vector<std::int64_t> m, n, k;
  for (const auto& [columns, depth] :
       {std::pair<std::int64_t, std::int64_t>{6144, 4096}, {4096, 4096}, {28672, 4096}, {4096, 14336}})
    for (std::int64_t i = 1; i <= 512; ++i) {
      m.push_back(4 * i);
      n.push_back(columns);
      k.push_back(depth);
    }
  warploom_session* session = nullptr;
  warploom_question* question = nullptr;
  if (warploom_open(nullptr, &session, nullptr, 0) != WARPLOOM_OK ||
      warploom_question_open(session, kCapiGemm, &question, nullptr, 0) != WARPLOOM_OK)
    state.SkipWithError("the question was refused");
  const std::array<warploom_column, 3> columns{{{"m", m.data()}, {"n", n.data()}, {"k", k.data()}}};
  std::vector<warploom_prediction> predictions(m.size());
  for (auto _ : state) {
    warploom_predict_rows(question, columns.data(), columns.size(), m.size(), 1, predictions.data(), nullptr,
                          0);
    benchmark::DoNotOptimize(predictions.data());
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t(m.size()));
  warploom_question_close(question);
  warploom_close(session);
}
BENCHMARK(BM_PredictRowsC)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warploom
