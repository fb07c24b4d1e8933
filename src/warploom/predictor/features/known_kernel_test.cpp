#include "warploom/kernels/known_kernel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/measurements/importers/import.h"
#include "warploom/measurements/measured_row_test.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/training/train_predictor.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog one;
  return one;
}

Gemm product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.scheme = MatmulScheme::Fp8Static, .m = m, .n = n, .k = k, .residency = Residency::Warm};
}

double base_seconds(const Operator& op, const char* gpu, KnownKernel kernel) {
  OperatorFeatures row;
  compute_features(op, catalog().get(gpu), kernel, default_constants(Family::Gemm), row);
  return std::exp(row.log_base);
}

TEST(KnownKernel, IsFoundByNameAndServesItsTypesAlone) {
  EXPECT_EQ(known_kernel("gemm_fp8"), KnownKernel::BlockScaledFp8Hopper);
  EXPECT_EQ(known_kernel("cublas"), KnownKernel::None);
  EXPECT_EQ(known_kernel(""), KnownKernel::None);
  EXPECT_TRUE(describes(KnownKernel::BlockScaledFp8Hopper, product(1, 1, 1)));
  EXPECT_FALSE(describes(KnownKernel::BlockScaledFp8Hopper, Gemm{}));
  EXPECT_FALSE(describes(KnownKernel::BlockScaledFp8Hopper, RmsNorm{}));
  EXPECT_FALSE(describes(KnownKernel::None, product(1, 1, 1)));
}

TEST(SourceCode, TellsAttentionKernelsOfOneNameApartInDecode) {
  const ContextKernel flow(KernelContext{"trtllm", "1.3.0", "torch_flow"});
  const GpuSpec &hopper = catalog().get("h100_sxm"), &ada = catalog().get("l40s"),
                &blackwell = catalog().get("b200_sxm");
  EXPECT_NE(source_code(Family::AttentionDecode, flow, hopper),
            source_code(Family::AttentionDecode, flow, blackwell));
  EXPECT_EQ(source_code(Family::AttentionDecode, flow, hopper),
            source_code(Family::AttentionDecode, flow, ada));
  EXPECT_EQ(source_code(Family::AttentionPrefill, flow, hopper),
            source_code(Family::AttentionPrefill, flow, blackwell));
}

TEST(KnownKernel, KeepsTheFamilysNumberOfFeatures) {
  OperatorFeatures general, exact;
  const BaseConstants& constants = default_constants(Family::Gemm);
  const GpuSpec& gpu = catalog().get("h20");
  compute_features(product(64, 512, 512), gpu, constants, general);
  compute_features(product(64, 512, 512), gpu, KnownKernel::BlockScaledFp8Hopper, constants, exact);
  ASSERT_EQ(exact.count, general.count);
  for (int i = exact.count - kGpuFeatures; i < exact.count; ++i)
    EXPECT_EQ(exact.values[std::size_t(i)], general.values[std::size_t(i)]);
  OperatorFeatures other;
  compute_features(Gemm{.m = 64, .n = 512, .k = 512}, gpu, KnownKernel::BlockScaledFp8Hopper, constants,
                   other);
  compute_features(Gemm{.m = 64, .n = 512, .k = 512}, gpu, constants, general);
  EXPECT_EQ(other.log_base, general.log_base);
}

// Nine column tiles by eight rows: 40 clusters of two do not fit the 39 of an H20, though 72 blocks would.
TEST(KnownKernel, RunsWholeClustersInWholeWaves) {
  const KnownKernel kernel = KnownKernel::BlockScaledFp8Hopper;
  const double one_wave = base_seconds(product(1024, 1024, 3584), "h20", kernel);
  const double two_waves = base_seconds(product(1024, 1152, 3584), "h20", kernel);
  EXPECT_GT(two_waves, 1.8 * one_wave);
  EXPECT_LT(two_waves, 2.1 * one_wave);
  EXPECT_LT(base_seconds(product(1024, 1152, 3584), "h800", kernel),
            1.1 * base_seconds(product(1024, 1024, 3584), "h800", kernel));
}

TEST(KnownKernel, TakesNoLongerWithMoreBandwidth) {
  const KnownKernel kernel = KnownKernel::BlockScaledFp8Hopper;
  for (const std::int64_t m : {4, 300, 5000, 90000}) {
    EXPECT_LE(base_seconds(product(m, 4096, 4096), "h200_sxm", kernel),
              base_seconds(product(m, 4096, 4096), "h800", kernel));
    EXPECT_DOUBLE_EQ(base_seconds(product(m, 4096, 4096), "h100_sxm", kernel),
                     base_seconds(product(m, 4096, 4096), "h800", kernel));
  }
}

TEST(KnownKernel, LearnsPublishedProductsToOnePercent) {
  const std::filesystem::path file = shared_data() / "pipeweave_kernels" / "gemm_fp8_train.csv.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no measured data: set WARPLOOM_DATA to its folder";
  const ImportResult imported = import_measurements(Layout::Pipeweave, std::vector{file}, catalog());
  TrainingOptions options;
  options.families = {Family::Gemm};
  options.threads = 1;
  const TrainingResult result = train_predictor(imported.dataset, catalog(), options);
  ASSERT_EQ(result.report.size(), 1U);
  const FamilyTraining& report = result.report.front();
  EXPECT_LT(report.held_out_by_gpu.at("h20").mean, 0.003);
  EXPECT_LT(report.held_out_by_gpu.at("h800").mean, 0.012);
  EXPECT_NEAR(report.held_out.coverage, 0.8, 0.05);
}

}  // namespace
}  // namespace warploom
