#include "warploom/ceiling/ceiling_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/ceiling/ceiling_features.h"
#include "warploom/ceiling/ceiling_file.h"
#include "warploom/ceiling/ceiling_training.h"
#include "warploom/ceiling/gap.h"
#include "warploom/kernels/physical_bound.h"

namespace warploom {
namespace {

// GEMMs whose efficiency is 0.2 to 0.8 by size, with noise of 10 %, on two GPUs and by two implementations.
Dataset measured(const GpuCatalog& catalog, std::size_t shapes) {
  Dataset dataset;
  RandomStream random(5, "ceiling test");
  for (std::size_t i = 0; i < shapes; ++i) {
    const Gemm op{.m = 64 * (1 + std::int64_t(i) % 40), .n = 256 * (1 + std::int64_t(i) / 40), .k = 4096};
    for (const char* gpu : {"h100_sxm", "a100_sxm"})
      for (const char* framework : {"vllm", "sglang"}) {
        const double bound = physical_bound(op, catalog.get(gpu)).time.value();
        const double efficiency = 0.2 + 0.6 * double(op.m) / 2560;
        const double noise = 0.1 * (random.uniform() + random.uniform() - 1);
        dataset.add({.op = op,
                     .gpu = gpu,
                     .framework = framework,
                     .version = "1",
                     .kernel = "k",
                     .latency = Seconds(bound / efficiency * std::exp(noise))});
      }
  }
  return dataset;
}

FamilyCeiling trained(const GpuCatalog& catalog, const Dataset& dataset) {
  return *train_ceiling(dataset, dataset.rows_of(Family::Gemm), catalog, Family::Gemm, {});
}

// Learned once a suite.
const FamilyCeiling& small_ceiling() {
  static const FamilyCeiling ceiling = [] {
    const GpuCatalog catalog;
    return trained(catalog, measured(catalog, 200));
  }();
  return ceiling;
}

TEST(CeilingModel, QuantilesAreHonestOnShapesKeptOut) {
  const GpuCatalog catalog;
  const Dataset dataset = measured(catalog, 1600);
  constexpr std::array kQuantiles{0.5, 0.8, 0.95};
  std::array<double, kQuantiles.size()> above{};
  double rows = 0;
  // Each keeps other shapes out: those of one alone may lie where the trees err alike.
  for (const std::uint64_t seed : {0, 1, 2}) {
    const ShapeSplit split{.seed = seed};
    const CeilingModel model(std::vector<FamilyCeiling>{
        *train_ceiling(dataset, dataset.rows_of(Family::Gemm), catalog, Family::Gemm, {.split = split})});
    for (std::size_t row = 0; row < dataset.size(); ++row) {
      if (!split.is_test(dataset.shape(row))) continue;
      const GpuSpec& gpu = catalog.get(dataset.gpu(row));
      const KernelProfile profile = ceiling_profile(dataset.op(row), gpu);
      for (std::size_t i = 0; i < kQuantiles.size(); ++i)
        above[i] += dataset.latency(row) < model.ceiling(dataset.op(row), gpu, profile, kQuantiles[i]).time;
      ++rows;
    }
  }
  ASSERT_GT(rows, 1500);
  // The four rows of a shape err alike.
  const double shapes = rows / 4;
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    const double q = kQuantiles[i];
    EXPECT_NEAR(above[i] / rows, 1 - q, 2 * std::sqrt(q * (1 - q) / shapes)) << q;
  }
}

TEST(CeilingModel, QuantilesNeverCrossEachOtherTheMedianOrTheBound) {
  const GpuCatalog catalog;
  const CeilingModel shipped;
  for (const char* name : {"h100_sxm", "a40", "b200_sxm", "l4"}) {
    const GpuSpec& gpu = catalog.get(name);
    for (const Operator& op : std::vector<Operator>{
             Gemm{.m = 1, .n = 4096, .k = 4096}, Gemm{.m = 8192, .n = 8192, .k = 8192},
             FusedMoe{.tokens = 64, .hidden = 2048, .intermediate = 768, .experts = 128, .top_k = 8},
             RmsNorm{.tokens = 512, .width = 4096}}) {
      const KernelProfile p = ceiling_profile(op, gpu);
      double last = 1e9;
      for (double q = kLeastQuantile; q <= kMostQuantile; q += 0.005) {
        const Ceiling ceiling = shipped.ceiling(op, gpu, p, q);
        EXPECT_LE(ceiling.time.value(), last);
        EXPECT_LE(ceiling.time.value(), ceiling.median_time.value());
        EXPECT_GE(ceiling.time.value(), ceiling.physical_bound.value());
        last = ceiling.time.value();
      }
    }
  }
}

TEST(CeilingModel, SaysWhichGpusItKnows) {
  const GpuCatalog catalog;
  const CeilingModel model(std::vector<FamilyCeiling>{small_ceiling()});
  EXPECT_EQ(model.family(Family::Gemm)->gpus, (std::vector<std::string>{"a100_sxm", "h100_sxm"}));
  EXPECT_EQ(model.family(Family::Moe), nullptr);
  const Operator op = Gemm{.m = 512, .n = 4096, .k = 4096};
  const auto known = [&](const char* name) {
    const GpuSpec& gpu = catalog.get(name);
    return model.ceiling(op, gpu, ceiling_profile(op, gpu), 0.8).known_gpu;
  };
  EXPECT_TRUE(known("h100_sxm"));
  EXPECT_FALSE(known("l40s"));
}

TEST(CeilingModel, SlowerKernelHasTheLargerGap) {
  const Ceiling ceiling{
      .time = microseconds(10.0), .median_time = microseconds(12.0), .physical_bound = microseconds(8.0)};
  EXPECT_NEAR(ceiling.efficiency(), 0.8, 1e-12);
  const Gap slow = gap_of(ceiling, microseconds(20.0));
  EXPECT_NEAR(to_microseconds(slow.saved), 10, 1e-9);
  EXPECT_NEAR(slow.efficiency, 0.4, 1e-12);
  EXPECT_TRUE(slow.flagged());
  const Gap fast = gap_of(ceiling, microseconds(9.0));
  EXPECT_TRUE(fast.above);
  EXPECT_EQ(fast.saved.value(), 0);
  EXPECT_FALSE(gap_of(ceiling, microseconds(11.0)).flagged());
}

TEST(CeilingModel, RefusesQuantilesBelowTheMedian) {
  EXPECT_NO_THROW(check_quantile(0.5, "--quantile"));
  EXPECT_THROW(check_quantile(0.49, "--quantile"), InvalidInput);
  EXPECT_THROW(check_quantile(1.0, "--quantile"), InvalidInput);
  EXPECT_THROW(check_quantile(std::nan(""), "--quantile"), InvalidInput);
}

TEST(CeilingTraining, GivesTheSameBytesTwiceAndNothingOfFewRows) {
  const GpuCatalog catalog;
  EXPECT_EQ(ceiling_to_bytes(trained(catalog, measured(catalog, 200))), ceiling_to_bytes(small_ceiling()));
  const Dataset few = measured(catalog, 40);
  EXPECT_FALSE(train_ceiling(few, few.rows_of(Family::Gemm), catalog, Family::Gemm, {}).has_value());
}

TEST(CeilingTraining, LearnsNothingFromExcludedGpusAndKeptOutShapes) {
  const GpuCatalog catalog;
  const Dataset dataset = measured(catalog, 400);
  CeilingTrainingOptions options;
  options.exclude_gpus = {"h100_sxm"};
  const auto without = train_ceiling(dataset, dataset.rows_of(Family::Gemm), catalog, Family::Gemm, options);
  EXPECT_EQ(without->gpus, std::vector<std::string>{"a100_sxm"});
  Dataset changed;
  for (std::size_t row = 0; row < dataset.size(); ++row) {
    Measurement measurement = dataset.measurement(row);
    if (options.split.is_test(dataset.shape(row)) || measurement.gpu == "h100_sxm")
      measurement.latency = measurement.latency * 3.0;
    changed.add(measurement);
  }
  EXPECT_EQ(ceiling_to_bytes(*without),
            ceiling_to_bytes(
                *train_ceiling(changed, changed.rows_of(Family::Gemm), catalog, Family::Gemm, options)));
}

TEST(CeilingFile, ComesBackAsItWas) {
  const FamilyCeiling& ceiling = small_ceiling();
  const std::string bytes = ceiling_to_bytes(ceiling);
  const FamilyCeiling again = ceiling_from_bytes(bytes, "test");
  EXPECT_EQ(ceiling_to_bytes(again), bytes);
  EXPECT_EQ(again.gpus, ceiling.gpus);
  EXPECT_EQ(again.z, ceiling.z);
  EXPECT_LT(bytes.size(), 50'000U);
}

TEST(CeilingFile, RefusesDamageAndOtherVersions) {
  const std::string bytes = ceiling_to_bytes(small_ceiling());
  EXPECT_THROW(ceiling_from_bytes("WLPREDIC and more bytes than that", "test"), InvalidInput);
  for (const std::size_t place : {std::size_t(40), bytes.size() / 2, bytes.size() - 3}) {
    std::string damaged = bytes;
    damaged[place] = char(damaged[place] ^ 1);
    EXPECT_THROW(ceiling_from_bytes(damaged, "test"), InvalidInput) << place;
    EXPECT_THROW(ceiling_from_bytes(std::string_view(bytes).substr(0, place), "test"), InvalidInput);
  }
  std::string newer = bytes;
  newer[8] = 9;
  EXPECT_THROW(ceiling_from_bytes(newer, "test"), Unsupported);
}

TEST(CeilingFile, FolderWithoutCeilingsIsNotFound) {
  const ScratchFolder scratch;
  EXPECT_THROW(CeilingModel(scratch.path()), NotFound);
  EXPECT_THROW(CeilingModel(scratch.path() / "absent"), IoError);
}

}  // namespace
}  // namespace warploom
