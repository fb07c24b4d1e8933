#include "warploom/measurements/splits.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "warploom/measurements/measured_row_test.h"

namespace warploom {
namespace {

Dataset two_gpu_data(int shapes) {
  Dataset data;
  for (int m = 1; m <= shapes; ++m) {
    Measurement row = gemm_row(m, "h100_sxm", 10);
    data.add(row);
    row.gpu = "l40s";
    row.framework = "trtllm";
    std::get<Gemm>(row.op).weight_copies = 3;
    data.add(row);
  }
  return data;
}

std::vector<std::uint32_t> all_rows(const Dataset& data) {
  std::vector<std::uint32_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

TEST(ShapeSplit, HoldsAShapeOutOnEveryGpuAndFramework) {
  const Dataset data = two_gpu_data(2000);
  const RowSplit split = split_by_shape(data, all_rows(data), {});
  EXPECT_EQ(split.train.size() + split.test.size(), data.size());
  EXPECT_NEAR(double(split.test.size()) / double(data.size()), 0.1, 0.02);
  for (std::size_t i = 0; i + 1 < split.test.size(); i += 2) {
    EXPECT_EQ(data.shape(split.test[i]), data.shape(split.test[i + 1]));
  }
}

TEST(ShapeSplit, StaysTheSameForever) {
  // Published figures rest on these shapes being held out, so the values are part of the format.
  EXPECT_DOUBLE_EQ(shape_position(0), 0.61346727839633297);
  EXPECT_DOUBLE_EQ(shape_position(12345), 0.95831705337917539);
  EXPECT_EQ(shape_fold(12345, 10), 5u);
  EXPECT_DOUBLE_EQ(shape_position(shape_hash(Gemm{.m = 16, .n = 4096, .k = 4096})), 0.3675144113843517);
}

RC_GTEST_PROP(ShapeSplit, GrowsWithItsFraction, (std::uint64_t shape, std::uint64_t seed)) {
  RC_ASSERT(shape_position(shape, seed) >= 0.0 && shape_position(shape, seed) < 1.0);
  const bool in_small = ShapeSplit{.test_fraction = 0.05, .seed = seed}.is_test(shape);
  const bool in_large = ShapeSplit{.test_fraction = 0.2, .seed = seed}.is_test(shape);
  RC_ASSERT(!in_small || in_large);
  RC_ASSERT(shape_fold(shape, 5, seed) < 5u);
}

TEST(Splits, ByGpuAndGenerationKeepTheOthersForTraining) {
  const GpuCatalog catalog;
  const Dataset data = two_gpu_data(10);
  const std::vector<std::string> held{"l40s"};
  const RowSplit by_gpu = split_by_gpu(data, all_rows(data), held);
  const RowSplit by_generation = split_by_generation(data, all_rows(data), catalog, Generation::Ada);
  EXPECT_EQ(by_gpu.test, by_generation.test);
  EXPECT_EQ(by_gpu.test.size(), 10u);
  for (const std::uint32_t row : by_gpu.train) EXPECT_EQ(data.gpu(row), "h100_sxm");
}

TEST(Splits, SampleIsAPrefixOfALargerSample) {
  const Dataset data = two_gpu_data(100);
  const auto small = sample_rows(data, all_rows(data), 10), large = sample_rows(data, all_rows(data), 40);
  EXPECT_EQ(small.size(), 10u);
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
  EXPECT_EQ(sample_rows(data, all_rows(data), 1000).size(), data.size());
}

}  // namespace
}  // namespace warploom
