#include "warploom/judge/validate/compare_baselines.h"

#include <gtest/gtest.h>

#include "warploom/base/learning.h"

namespace warploom {
namespace {

Measurement norm_row(std::int64_t tokens, const char* gpu, double microseconds_taken) {
  return {.op = RmsNorm{.tokens = tokens, .width = 4096},
          .gpu = gpu,
          .framework = "vllm",
          .version = "1.0",
          .kernel = "rmsnorm",
          .latency = microseconds(microseconds_taken)};
}

TEST(CompareBaselines, JudgesEachOnTheGivenRowsAlone) {
  if (!learning_available()) GTEST_SKIP() << "the linear baseline is fitted: no training library";
  const GpuCatalog catalog;
  Dataset dataset;
  std::vector<std::uint32_t> train, judged;
  for (std::int64_t tokens = 1000; tokens <= 20000; tokens += 500) {
    const auto row = std::uint32_t(dataset.size());
    dataset.add(norm_row(tokens, row % 2 == 0 ? "h100_sxm" : "a100_sxm", 10 + double(tokens) / 100));
    (row % 8 < 2 ? judged : train).push_back(row);
  }
  const std::vector<Baseline> kinds{open_baseline("roofline"), open_baseline("linear"),
                                    open_baseline("interpolation")};
  const auto results = compare_baselines({kinds, {dataset, train}, dataset, judged}, catalog, {});
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].name, "roofline");
  for (const BaselineErrors& baseline : results) {
    EXPECT_EQ(baseline.overall.rows, std::int64_t(judged.size()));
    ASSERT_EQ(baseline.families.size(), 1U);
    EXPECT_EQ(baseline.families[0].first, "rmsnorm");
    EXPECT_EQ(baseline.gpus.size(), 2U);
  }
  EXPECT_NEAR(results[0].overall.mean_error, results[0].overall.roofline_mean_error, 1e-12);
  EXPECT_LT(results[1].overall.mean_error, 0.02);
  EXPECT_LT(results[2].overall.median_error, 0.02);
}

}  // namespace
}  // namespace warploom
