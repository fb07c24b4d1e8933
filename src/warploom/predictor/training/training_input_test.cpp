// Data that training must survive, and the size of what ships.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "warploom/base/scratch_folder_test.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/measurements/importers/import.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/training/train_predictor.h"

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
  const double answer = predicted(result, 250), measured = 2e-5 + kSecondsPerRow * 250;
  EXPECT_NEAR(answer / measured, 1, 0.05);
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

// A table of products as aiconfigurator writes them, and rows of one that would need a hundred times the
// GPU's rate.
std::string table_of_products(bool impossible) {
  std::string text = "framework,version,kernel_source,gemm_dtype,n,k,m,latency_us,n_samples\n";
  for (int m = 1; m <= 400; ++m)
    text += "vllm,1.0,linear,bfloat16,4096,4096," + std::to_string(m) + "," + std::to_string(20 + m) + ",1\n";
  for (int m = 8000; impossible && m < 8012; ++m)
    text += "vllm,1.0,linear,bfloat16,8192,8192," + std::to_string(m) + ",12,1\n";
  return text;
}

TEST(TrainingInput, ImpossibleRowsAreListedAndNeverLearned) {
  const GpuCatalog catalog;
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "gemm");
  const auto import = [&](bool impossible) {
    const auto path = folder.write("gemm/h100_sxm.csv", table_of_products(impossible));
    return import_measurements(Layout::Aiconfigurator, std::vector{path}, catalog);
  };
  const ImportResult clean = import(false), soiled = import(true);
  const std::vector<SkippedRows> skipped = soiled.report.skipped();
  const auto listed = std::find_if(skipped.begin(), skipped.end(), [](const SkippedRows& entry) {
    return entry.reason == kImpossibleReason;
  });
  ASSERT_NE(listed, skipped.end());
  EXPECT_EQ(listed->rows, 12U);
  ASSERT_FALSE(listed->examples.empty());
  EXPECT_NE(listed->examples.front().find("h100_sxm.csv:402"), std::string::npos);
  const TrainingResult with = train_predictor(soiled.dataset, catalog, {}),
                       without = train_predictor(clean.dataset, catalog, {});
  EXPECT_EQ(with.report.at(0).rows_learned, without.report.at(0).rows_learned);
  EXPECT_EQ(predicted(with, 250), predicted(without, 250));
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
