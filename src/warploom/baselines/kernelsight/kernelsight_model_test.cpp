#include "warploom/baselines/kernelsight/kernelsight_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/learning.h"
#include "warploom/measurements/measured_row_test.h"

namespace warploom::baselines {
namespace {

const GpuCatalog& ks_catalog() {
  static const GpuCatalog one;
  return one;
}

// A kernel whose efficiency is a saturating form of its waves, on top of a launch floor of 5 us.
double ks_seconds(const Operator& op, const char* gpu) {
  const EfficiencyView view = efficiency_view(op, ks_catalog().get(gpu));
  const double waves = std::exp(view.features[4]);
  return std::max(5e-6, view.bound_seconds * (1.5 + 0.5 / waves));
}

struct KernelSightRows {
  Dataset dataset;
  std::vector<std::uint32_t> rows;
  KernelSightRows() {
    for (const char* gpu : {"h100_sxm", "a100_sxm"})
      for (std::int64_t m = 64; m <= 16384; m = m * 9 / 8) {
        const Measurement row = gemm_row(m, gpu, 1);
        rows.push_back(std::uint32_t(dataset.size()));
        dataset.add(gemm_row(m, gpu, 1e6 * ks_seconds(row.op, gpu)));
      }
  }
};

KernelContext ks_context(const Measurement& row) { return {row.framework, row.version, row.kernel}; }

TEST(EfficiencyView, IsFreeOfTheScaleOfTheGpu) {
  const Gemm op{.m = 4096, .n = 4096, .k = 4096};
  const GpuSpec& h100 = ks_catalog().get("h100_sxm");
  const EfficiencyView view = efficiency_view(op, h100);
  const double flop = 2.0 * 4096 * 4096 * 4096;
  const double peak = h100.tensor_rate(h100.tensor_rates.fp16).value();
  EXPECT_GE(view.bound_seconds, flop / peak * 0.999);
  EXPECT_NEAR(view.features[0] - view.features[1], std::log(peak / h100.memory_bandwidth.value()), 1e-9);
}

TEST(KernelSight, InterpolatesTheEfficiencyOfASweptGpu) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  const KernelSightRows data;
  const KernelSightModel model({data.dataset, data.rows}, ks_catalog());
  const Measurement asked = gemm_row(3000, "h100_sxm", 1);
  const LatencyEstimate said = model.estimate(asked.op, ks_catalog().get("h100_sxm"), ks_context(asked));
  EXPECT_NEAR(said.p50.value() / ks_seconds(asked.op, "h100_sxm"), 1, 0.12);
  EXPECT_EQ(said.tier, Tier::Measured);
}

TEST(KernelSight, CarriesTheEfficiencyToAGpuThatWasNotSwept) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  const KernelSightRows data;
  const KernelSightModel model({data.dataset, data.rows}, ks_catalog());
  const Measurement asked = gemm_row(3000, "h200_sxm", 1);
  const GpuSpec& gpu = ks_catalog().get("h200_sxm");
  const LatencyEstimate said = model.estimate(asked.op, gpu, ks_context(asked));
  EXPECT_NEAR(said.p50.value() / ks_seconds(asked.op, "h200_sxm"), 1, 0.15);
  EXPECT_EQ(said.tier, Tier::CrossGpu);
  // Nothing is faster than the launch.
  const Measurement tiny = gemm_row(1, "h200_sxm", 1);
  EXPECT_GE(model.estimate(tiny.op, gpu, ks_context(tiny)).p50.value(), 4.9e-6);
  EXPECT_FALSE(model.lacks(RmsNorm{}, gpu, {}).empty());
  EXPECT_EQ(model.estimate(RmsNorm{}, gpu).tier, Tier::Roofline);
}

TEST(KernelSight, ChoosesALearnerByCrossValidationThatCarriesAPowerOfTheWork) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  // A power of the work of an SM: a line in logarithms, which the bounded form has not.
  Dataset dataset;
  std::vector<std::uint32_t> rows;
  for (const char* gpu : {"h100_sxm", "a100_sxm", "l40s"})
    for (std::int64_t m = 64; m <= 65536; m = m * 9 / 8) {
      const Measurement row = gemm_row(m, gpu, 1);
      const EfficiencyView view = efficiency_view(row.op, ks_catalog().get(gpu));
      rows.push_back(std::uint32_t(dataset.size()));
      dataset.add(gemm_row(m, gpu, 1e6 * view.bound_seconds * std::exp(3 - 0.3 * view.features[2])));
    }
  const KernelSightModel model({dataset, rows}, ks_catalog());
  EXPECT_NE(model.choices().at(Family::Gemm), LearnerKind::Analytic);
  const GpuSpec& gpu = ks_catalog().get("h200_sxm");
  const Measurement asked = gemm_row(5000, "h200_sxm", 1);
  const EfficiencyView view = efficiency_view(asked.op, gpu);
  const double truth = view.bound_seconds * std::exp(3 - 0.3 * view.features[2]);
  EXPECT_NEAR(model.estimate(asked.op, gpu, ks_context(asked)).p50.value() / truth, 1, 0.1);
}

TEST(KernelSight, LearnsAStartAndABandwidthOfCollectives) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  Dataset dataset;
  std::vector<std::uint32_t> rows;
  for (double size = 1024; size < 1e9; size *= 4) {
    rows.push_back(std::uint32_t(dataset.size()));
    dataset.add({.op = Collective{.size = Bytes(size), .ranks = 4},
                 .gpu = "h100_sxm",
                 .framework = "nccl",
                 .version = "",
                 .kernel = "nccl",
                 .latency = Seconds(2e-5 + size * 1e-11)});
  }
  const KernelSightModel model({dataset, rows}, ks_catalog());
  const GpuSpec& gpu = ks_catalog().get("h100_sxm");
  EXPECT_NEAR(model.estimate(Collective{.size = Bytes(3e7), .ranks = 4}, gpu).p50.value(), 3.2e-4, 1e-6);
  EXPECT_FALSE(model.lacks(Collective{.ranks = 2}, gpu, {}).empty());
}

}  // namespace
}  // namespace warploom::baselines
