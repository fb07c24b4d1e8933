#include "warploom/predictor/training/few_shot_shapes.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

constexpr std::int64_t kSizes = 200;

// bf16 products by two libraries at every size, and by a third at one size in ten.
Dataset products() {
  Dataset dataset;
  for (std::int64_t i = 0; i < kSizes; ++i) {
    Gemm gemm;
    gemm.m = 1 + i;
    gemm.n = 1024 * (1 + i % 7);
    gemm.k = 512 * (1 + i % 5);
    for (const char* library : {"first", "second", "rare"}) {
      if (std::string(library) == "rare" && i % 10 != 0) continue;
      dataset.add({Operator(gemm), "l40s", library, "1", "kernel", Seconds(1e-4), 1, Layout::Warploom, {}});
    }
  }
  return dataset;
}

std::vector<std::uint32_t> all_rows(const Dataset& dataset) {
  std::vector<std::uint32_t> rows(dataset.size());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

std::map<std::string, int> rows_by_library(const Dataset& dataset, const std::set<std::uint64_t>& shapes) {
  std::map<std::string, int> counts;
  for (std::size_t r = 0; r < dataset.size(); ++r)
    if (shapes.contains(dataset.shape(r))) ++counts[std::string(dataset.context(r).framework)];
  return counts;
}

TEST(FewShotShapes, AsksEveryKernelAndNoShapeTwice) {
  const GpuCatalog catalog;
  const Dataset dataset = products();
  const auto chosen = few_shot_shapes(dataset, all_rows(dataset), catalog.get("l40s"), 12);
  EXPECT_EQ(chosen.size(), 12U);
  const auto counts = rows_by_library(dataset, chosen);
  EXPECT_GE(counts.at("rare"), 3);  // one in ten by chance
  EXPECT_EQ(counts.at("first"), 12);
}

TEST(FewShotShapes, SpreadOverSizes) {
  const GpuCatalog catalog;
  const Dataset dataset = products();
  const auto chosen = few_shot_shapes(dataset, all_rows(dataset), catalog.get("l40s"), 12);
  std::set<std::int64_t> eighths;
  for (std::size_t r = 0; r < dataset.size(); ++r)
    if (chosen.contains(dataset.shape(r))) eighths.insert(std::get<Gemm>(dataset.op(r)).m * 8 / (kSizes + 1));
  EXPECT_GE(eighths.size(), 5U);
}

TEST(FewShotShapes, TakesAllWhereThereAreFewer) {
  const GpuCatalog catalog;
  const Dataset dataset = products();
  EXPECT_EQ(few_shot_shapes(dataset, all_rows(dataset), catalog.get("l40s"), 1000).size(),
            std::size_t(kSizes));
  EXPECT_TRUE(few_shot_shapes(dataset, {}, catalog.get("l40s"), 5).empty());
}

TEST(FewShotShapes, LooksAtNoLatency) {
  const GpuCatalog catalog;
  const Dataset dataset = products();
  Dataset slower;
  for (std::size_t r = 0; r < dataset.size(); ++r) {
    Measurement row = dataset.measurement(r);
    row.latency = Seconds(row.latency.value() * double(1 + r));
    slower.add(row);
  }
  EXPECT_EQ(few_shot_shapes(dataset, all_rows(dataset), catalog.get("l40s"), 12),
            few_shot_shapes(slower, all_rows(slower), catalog.get("l40s"), 12));
}

TEST(FewShotShapes, CountEachKindByItselfWhenAsked) {
  const GpuCatalog catalog;
  Dataset dataset = products();
  const std::size_t bf16 = dataset.size();
  for (std::int64_t i = 0; i < 30; ++i)
    dataset.add({Operator(Gemm{.scheme = MatmulScheme::Fp8, .m = 1 + i}),
                 "l40s",
                 "first",
                 "1",
                 "kernel",
                 Seconds(1e-4),
                 1,
                 Layout::Warploom,
                 {}});
  const auto chosen = few_shot_shapes(dataset, all_rows(dataset), catalog.get("l40s"), 12, FewShotPer::Kind);
  EXPECT_EQ(chosen.size(), 24U);
  std::size_t fp8 = 0;
  for (std::size_t r = bf16; r < dataset.size(); ++r) fp8 += chosen.contains(dataset.shape(r)) ? 1 : 0;
  EXPECT_EQ(fp8, 12U);
}

}  // namespace
}  // namespace warploom
