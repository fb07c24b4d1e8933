#include "warploom/baselines/baseline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/baselines/habitat.h"
#include "warploom/baselines/interpolation.h"
#include "warploom/baselines/linear.h"
#include "warploom/baselines/train_baseline.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/roofline.h"
#include "warploom/measurements/measured_row_test.h"

namespace warploom {
namespace {

using namespace baselines;

const GpuCatalog& catalog() {
  static const GpuCatalog one;
  return one;
}

std::vector<std::uint32_t> all_rows(const Dataset& dataset) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t r = 0; r < dataset.size(); ++r) rows.push_back(r);
  return rows;
}

KernelContext context_of(const Measurement& row) { return {row.framework, row.version, row.kernel}; }

TEST(OperatorCoordinates, TellSizesFromVariants) {
  const OperatorCoordinates a = operator_coordinates(Gemm{.m = 3, .n = 7, .k = 15});
  EXPECT_EQ(a.sizes[0], 2.0F);
  EXPECT_EQ(a.sizes[1], 3.0F);
  EXPECT_EQ(a.sizes[2], 4.0F);
  EXPECT_EQ(a.variant, operator_coordinates(Gemm{.m = 5, .n = 9, .k = 2}).variant);
  EXPECT_NE(a.variant, operator_coordinates(Gemm{.scheme = MatmulScheme::Fp8Static, .m = 3}).variant);
  EXPECT_NE(operator_coordinates(RmsNorm{}).variant, operator_coordinates(Activation{}).variant);
}

TEST(LinearBaseline, KeepsCoefficientsFromGoingNegative) {
  // Targets 1 - x at x = 0, 1, 2: the slope would be -1; without it the mean of the targets is best (0).
  std::array<LinearModel::Terms, LinearModel::kTerms> products{};
  products[0] = {3, 3, 0, 0};
  products[1] = {3, 5, 0, 0};
  const auto up = LinearModel::nonnegative_fit(products, {9, 13, 0, 0});
  EXPECT_NEAR(up[0], 1, 1e-9);  // 1 + 2 x
  EXPECT_NEAR(up[1], 2, 1e-9);
  const auto down = LinearModel::nonnegative_fit(products, {3, 1, 0, 0});
  EXPECT_NEAR(down[0], 1, 1e-9);
  EXPECT_EQ(down[1], 0);
}

TEST(LinearBaseline, RecoversALinearLatencyAndCarriesItToAnotherGpu) {
  const auto truth = [](std::int64_t m, const char* gpu) {
    const KernelProfile p = profile(gemm_row(m, gpu, 1).op, catalog().get(gpu));
    return 5e-6 + 1.5 * p.t_useful + 1.25 * p.t_dram;
  };
  Dataset dataset;
  for (std::int64_t m = 64; m <= 16384; m += 257)
    dataset.add(gemm_row(m, "h100_sxm", 1e6 * truth(m, "h100_sxm")));
  const auto rows = all_rows(dataset);
  const auto model = train_baseline(BaselineKind::Linear, {dataset, rows}, catalog());
  for (const char* gpu : {"h100_sxm", "a100_sxm"}) {
    const Measurement asked = gemm_row(1000, gpu, 1);
    const double said = model->estimate(asked.op, catalog().get(gpu), context_of(asked)).p50.value();
    EXPECT_NEAR(said / truth(1000, gpu), 1, 0.01) << gpu;
  }
}

TEST(InterpolationBaseline, IsExactForPowersBetweenNeighbours) {
  // Time grows as the square root of 1 + m, so it is linear in logarithms.
  const auto truth = [](std::int64_t m) { return 300 * std::sqrt(double(1 + m)); };
  Dataset dataset;
  for (const std::int64_t m : {10, 100, 1000, 4000}) dataset.add(gemm_row(m, "h100_sxm", truth(m)));
  const auto rows = all_rows(dataset);
  const InterpolationModel model({dataset, rows}, catalog());
  const auto said = [&](std::int64_t m, const char* gpu) {
    const Measurement asked = gemm_row(m, gpu, 1);
    return model.estimate(asked.op, catalog().get(gpu), context_of(asked));
  };
  for (const std::int64_t m : {100, 317, 2500})
    EXPECT_NEAR(said(m, "h100_sxm").p50.value(), 1e-6 * truth(m), 1e-9 * truth(m));
  EXPECT_NEAR(said(9000, "h100_sxm").p50.value(), 1e-6 * truth(9000), 1e-9 * truth(9000));
  EXPECT_EQ(said(317, "h100_sxm").tier, Tier::Measured);
  EXPECT_EQ(said(317, "a100_sxm").tier, Tier::CrossGpu);
  EXPECT_GT(said(2500, "a100_sxm").p50.value(), said(2500, "h100_sxm").p50.value());
}

TEST(HabitatBaseline, ScalesWavesByBandwidthOrClock) {
  const GpuSpec &h100 = catalog().get("h100_sxm"), &h200 = catalog().get("h200_sxm");
  const RmsNorm norm{.tokens = 100000, .width = 4096};
  EXPECT_DOUBLE_EQ(wave_scaling(norm, h100, h100), 1);
  EXPECT_NEAR(wave_scaling(norm, h100, h200), h100.memory_bandwidth / h200.memory_bandwidth, 0.02);
}

TEST(HabitatBaseline, AnswersFromAnotherGpusTimeOfTheSameOperator) {
  Dataset dataset;
  for (std::int64_t context = 512; context <= 8192; context *= 2)
    dataset.add(decode_row(32, context, "h100_sxm", double(context) / 10));
  const auto rows = all_rows(dataset);
  const HabitatModel model({dataset, rows}, catalog());
  const Measurement asked = decode_row(32, 4096, "h200_sxm", 1);
  const double scale = wave_scaling(asked.op, catalog().get("h100_sxm"), catalog().get("h200_sxm"));
  EXPECT_NEAR(model.estimate(asked.op, catalog().get("h200_sxm"), context_of(asked)).p50.value(),
              409.6e-6 * scale, 1e-9);
}

TEST(Baselines, LearnASteadyUtilisationBetterThanTheRoofline) {
  // Twice the roofline's time, whatever the shape.
  const RooflineModel roofline;
  const GpuSpec& gpu = catalog().get("h100_sxm");
  Dataset dataset;
  for (std::int64_t m = 100; m <= 20000; m += 63) {
    const Measurement row = gemm_row(m, "h100_sxm", 1);
    dataset.add(gemm_row(m, "h100_sxm", 2e6 * roofline.estimate(row.op, gpu).p50.value()));
  }
  const auto rows = all_rows(dataset);
  for (const BaselineKind kind : {BaselineKind::NeuSight, BaselineKind::Habitat, BaselineKind::Linear}) {
    const auto model = train_baseline(kind, {dataset, rows}, catalog());
    double error = 0;
    for (std::int64_t m = 130; m <= 20000; m += 630) {
      const Measurement asked = gemm_row(m, "h100_sxm", 1);
      const double truth = 2 * roofline.estimate(asked.op, gpu).p50.value();
      error += std::abs(model->estimate(asked.op, gpu, context_of(asked)).p50.value() / truth - 1) / 32;
    }
    EXPECT_LT(error, 0.2) << name_of(kind);
  }
}

TEST(Baselines, FallBackToTheRooflineForWhatTheyNeverSaw) {
  Dataset dataset;
  for (std::int64_t m = 100; m <= 2000; m += 63) dataset.add(gemm_row(m, "h100_sxm", double(m)));
  const auto rows = all_rows(dataset);
  const GpuSpec& gpu = catalog().get("h100_sxm");
  const double plain = RooflineModel().estimate(RmsNorm{.tokens = 4096}, gpu).p50.value();
  for (const auto& [kind, name] : EnumNames<BaselineKind>::kNames) {
    const auto model = train_baseline(kind, {dataset, rows}, catalog());
    EXPECT_EQ(model->estimate(RmsNorm{.tokens = 4096}, gpu).p50.value(), plain) << name;
  }
}

}  // namespace
}  // namespace warploom
