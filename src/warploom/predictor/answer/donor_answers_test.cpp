#include "warploom/predictor/answer/donor_answers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/random.h"
#include "warploom/predictor/training/train_predictor.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

const KernelContext& context() {
  static const KernelContext names{"vllm", "1.0", "linear"};
  return names;
}

// Products that A100 takes 1.4 times as long for, beside H100 and H200, which take their base's time.
const LoadedFamily& family() {
  static const LoadedFamily loaded = [] {
    Dataset dataset;
    RandomStream random(7, "donors");
    for (int i = 0; i < 400; ++i) {
      Gemm gemm;
      gemm.m = random.integer(1, 4096);
      gemm.n = 64 * random.integer(1, 128);
      gemm.k = 64 * random.integer(1, 128);
      for (const std::string gpu : {"h100_sxm", "h200_sxm", "a100_sxm"}) {
        OperatorFeatures row;
        compute_features(Operator(gemm), catalog().get(gpu), row);
        dataset.add({Operator(gemm),
                     gpu,
                     "vllm",
                     "1.0",
                     "linear",
                     Seconds(std::exp(row.log_base) * (gpu[0] == 'a' ? 1.4 : 1.0)),
                     1,
                     Layout::Warploom,
                     {}});
      }
    }
    TrainingOptions options;
    options.threads = 1;
    return LoadedFamily(train_predictor(dataset, catalog(), options).models.at(0), catalog());
  }();
  return loaded;
}

DonorAnswers answers(const KernelContext& names, double predicted_residual) {
  const Operator op = Gemm{.m = 300, .n = 4096, .k = 4096};
  const GpuSpec& gpu = catalog().get("l40s");
  const ContextKernel& kernel = family().kernels.at(0);
  OperatorFeatures row;
  compute_features(op, gpu, kernel, family().constants(gpu), row);
  return donor_answers(family(), {op, gpu, names, kind_code(op), kernel}, row, predicted_residual);
}

TEST(DonorAnswers, OneForEachArchitectureAndWhatIsSaid) {
  const DonorAnswers all = answers(context(), 0.2);
  ASSERT_EQ(all.count, 3U);  // A100, then both Hoppers together
  EXPECT_NEAR(double(all.values[0] - all.values[1]), std::log(1.4), 0.06);
  EXPECT_FLOAT_EQ(all.values[2], 0.2F);
}

TEST(DonorAnswers, SayNothingOfAKernelThatTheyDoNotRun) {
  const DonorAnswers all = answers({"vllm", "1.0", "another"}, -3);
  ASSERT_EQ(all.count, 3U);
  EXPECT_EQ(all.values[0], 0.0F);
  EXPECT_EQ(all.values[1], 0.0F);
  EXPECT_EQ(all.values[2], -1.0F);  // within bounds
}

}  // namespace
}  // namespace warploom
