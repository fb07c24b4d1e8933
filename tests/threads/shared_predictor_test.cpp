// One predictor serves many threads, although it decodes its trees when they are first asked.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

std::vector<Operator> products() {
  std::vector<Operator> list;
  for (std::int64_t rows = 1; rows <= 4096; rows *= 4)
    list.emplace_back(Gemm{.m = rows, .n = 4096, .k = 2048});
  return list;
}

std::vector<double> seconds_of(const Predictor& predictor, const GpuSpec& gpu) {
  const std::vector<Operator> operators = products();
  std::vector<LatencyEstimate> estimates(operators.size());
  predictor.estimate_batch(operators, gpu, {}, estimates);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    seconds.push_back(estimates[i].p50.value());
    seconds.push_back(predictor.estimate(operators[i], gpu).p50.value());
  }
  return seconds;
}

TEST(SharedPredictor, GivesManyThreadsWhatItGivesOne) {
  const GpuCatalog gpus;
  const GpuSpec* h100 = gpus.find("H100-SXM");
  ASSERT_NE(h100, nullptr);
  const Predictor alone, shared;
  const std::vector<double> expected = seconds_of(alone, *h100);
  std::vector<std::vector<double>> seen(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : seen) threads.emplace_back([&] { mine = seconds_of(shared, *h100); });
  }
  for (const auto& each : seen) EXPECT_EQ(each, expected);
}

}  // namespace
}  // namespace warploom
