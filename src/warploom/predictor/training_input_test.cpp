// Data that training must survive, and the size of what ships.
#include <gtest/gtest.h>

#include <filesystem>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/train_predictor.h"

namespace warploom {
namespace {

constexpr double kSecondsPerRow = 1e-6;

// Products that differ in their rows alone: every other column of the features is constant.
Measurement product(std::int64_t m, Seconds latency, Marks marks) {
  return {Operator(Gemm{.m = m, .n = 4096, .k = 4096}),
          "h100_sxm",
          "vllm",
          "1.0",
          "linear",
          latency,
          1,
          Layout::Warploom,
          marks};
}

Dataset products() {
  Dataset dataset;
  for (std::int64_t m = 1; m <= 400; ++m)
    dataset.add(product(m, Seconds(2e-5 + kSecondsPerRow * double(m)), {}));
  return dataset;
}

double predicted(const TrainingResult& result, std::int64_t m) {
  const GpuCatalog catalog;
  return Predictor(result.models)
      .estimate(Gemm{.m = m, .n = 4096, .k = 4096}, catalog.get("h100_sxm"), {"vllm", "1.0", "linear"})
      .p50.value();
}

TEST(TrainingInput, ConstantColumnsAreNoObstacle) {
  const TrainingResult result = train_predictor(products(), GpuCatalog(), {});
  const double said = predicted(result, 250), measured = 2e-5 + kSecondsPerRow * 250;
  EXPECT_NEAR(said / measured, 1, 0.05);
}

TEST(TrainingInput, RowsForStressChecksAreNeverLearned) {
  Dataset dataset = products();
  Marks stress;
  stress.biased = true;
  for (std::int64_t m = 401; m <= 800; ++m) dataset.add(product(m, Seconds(1e-9), stress));
  const TrainingResult with = train_predictor(dataset, GpuCatalog(), {});
  const TrainingResult without = train_predictor(products(), GpuCatalog(), {});
  EXPECT_EQ(with.report.at(0).rows_learned, without.report.at(0).rows_learned);
  EXPECT_EQ(predicted(with, 600), predicted(without, 600));
}

TEST(ShippedPredictor, StaysBelowTwentyMegabytes) {
  const std::filesystem::path folder = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "data" / "predictor";
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) bytes += file.file_size();
  EXPECT_GT(bytes, 0U);
  EXPECT_LT(bytes, 20'000'000U);
}

}  // namespace
}  // namespace warploom
