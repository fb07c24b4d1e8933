#include "warploom/measurements/splits.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "warploom/measurements/dataset.h"
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
  const ShapeSplit split;
  const auto held_out = data.rows_where([&](std::size_t row) { return split.is_test(data.shape(row)); });
  EXPECT_NEAR(double(held_out.size()) / double(data.size()), 0.1, 0.02);
  ASSERT_EQ(held_out.size() % 2, 0U);
  for (std::size_t i = 0; i < held_out.size(); i += 2)
    EXPECT_EQ(data.shape(held_out[i]), data.shape(held_out[i + 1]));
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

TEST(ThinByGroup, KeepsAboutSoManyOfEachAndAPartOfWhatMoreWouldKeep) {
  const Dataset data = two_gpu_data(4000);
  const auto rows = all_rows(data);
  const RowGroup gpu = [&](std::uint32_t row) { return data.gpu_index(row); };
  const RowPosition position = [&](std::uint32_t row) { return shape_position(data.shape(row), 7); };
  const auto counts = count_by_group(rows, gpu, data.gpus().size());
  EXPECT_EQ(counts, (std::vector<std::size_t>{4000, 4000}));
  const auto small = thin_by_group(rows, gpu, counts, position, 100),
             large = thin_by_group(rows, gpu, counts, position, 400);
  for (const std::size_t kept : count_by_group(small, gpu, 2)) EXPECT_NEAR(double(kept), 100, 40);
  for (const std::size_t kept : count_by_group(large, gpu, 2)) EXPECT_NEAR(double(kept), 400, 80);
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
  EXPECT_EQ(thin_by_group(rows, gpu, counts, position, 4000), rows);
}

}  // namespace
}  // namespace warploom
