// Training on made-up kernels whose efficiency is known, the file, and what the method has no model for.
#include "warploom/baselines/pipeweave/pipeweave_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/learning.h"
#include "warploom/baselines/method_file.h"
#include "warploom/baselines/pipeweave/train_pipeweave.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/roofline.h"

namespace warploom::baselines {
namespace {

const GpuCatalog& pw_catalog() {
  static const GpuCatalog one;
  return one;
}

// Block-scaled products on two GPUs at 60 % of the peak, less for few rows.
double pw_efficiency(std::int64_t m) { return 0.6 * double(m) / double(m + 500); }

Measurement fp8_row(std::int64_t m, std::int64_t n, const char* gpu) {
  const Gemm op{.scheme = MatmulScheme::Fp8Block, .m = m, .n = n, .k = 4096};
  const GpuSpec& spec = pw_catalog().get(gpu);
  const double cycles = published::gemm_fp8(m, n, 4096, published::Hardware::of(spec)).theory_cycles();
  return {.op = op,
          .gpu = gpu,
          .framework = "library",
          .version = "1.0",
          .kernel = "gemm_fp8",
          .latency = Seconds(cycles / (spec.boost_clock.value() * pw_efficiency(m)))};
}

struct Fp8Rows {
  Dataset dataset;
  std::vector<std::uint32_t> rows;
  Fp8Rows() {
    for (std::int64_t m = 200; m < 20000; m = m * 51 / 50)
      for (const std::int64_t n : {2048, 4096, 7168, 11008})
        for (const char* gpu : {"h20", "h800"}) {
          rows.push_back(std::uint32_t(dataset.size()));
          dataset.add(fp8_row(m, n, gpu));
        }
  }
};

PipeWeaveModel trained(const Fp8Rows& data, double quantile = 0) {
  return train_pipeweave({data.dataset, data.rows}, pw_catalog(), {.epochs = 400, .quantile = quantile});
}

TEST(PipeWeave, LearnsTheEfficiencyOfAKernelAndCarriesItToAnotherGpu) {
  if (!learning_available()) GTEST_SKIP() << "forests need the training library";
  const Fp8Rows data;
  const PipeWeaveModel model = trained(data);
  ASSERT_EQ(model.kernels().size(), 1U);
  const PipeWeaveKernel& kernel = model.kernels().at(published::PublishedKernel::GemmFp8);
  EXPECT_EQ(kernel.rows, data.rows.size());
  EXPECT_EQ(kernel.gpus, (std::vector<std::string>{"h20", "h800"}));
  for (const std::int64_t m : {700, 5300}) {
    for (const char* gpu : {"h800", "h100_sxm"}) {
      const Measurement asked = fp8_row(m, 4096, gpu);
      const LatencyEstimate said = model.estimate(asked.op, pw_catalog().get(gpu), {.kernel = "gemm_fp8"});
      EXPECT_NEAR(said.p50 / asked.latency, 1, 0.15) << gpu << " " << m;
      EXPECT_EQ(said.tier, std::string_view(gpu) == "h800" ? Tier::Measured : Tier::CrossGpu);
    }
  }
  // Far beyond what it learned it stays by what it saw.
  const Measurement far = fp8_row(400000, 11008, "h800");
  EXPECT_NEAR(model.estimate(far.op, pw_catalog().get("h800")).p50 / far.latency, 1, 0.3);
}

TEST(PipeWeave, LearnsACeilingAboveMostRows) {
  if (!learning_available()) GTEST_SKIP() << "forests need the training library";
  Fp8Rows data;
  // Two rows in three run at half their speed.
  for (std::size_t row = 0; row < data.dataset.size(); ++row)
    if (row / 2 % 3 != 0) data.dataset.set_latency(row, data.dataset.latency(row) * 2.0, 1);
  const PipeWeaveModel ceiling = trained(data, 0.8), middle = trained(data);
  std::size_t below_ceiling = 0, below_middle = 0;
  for (const std::uint32_t row : data.rows) {
    const Operator& op = data.dataset.op(row);
    const GpuSpec& gpu = pw_catalog().get(data.dataset.gpu(row));
    const double least = data.dataset.latency(row).value() * 1.05;
    below_ceiling += ceiling.estimate(op, gpu).p50.value() <= least ? 1 : 0;
    below_middle += middle.estimate(op, gpu).p50.value() <= least ? 1 : 0;
  }
  EXPECT_GT(below_ceiling, below_middle);
  EXPECT_GT(double(below_ceiling) / double(data.rows.size()), 0.6);
}

TEST(PipeWeave, SaysWhatItHasNoModelFor) {
  const PipeWeaveModel nothing({}, {});
  const GpuSpec& gpu = pw_catalog().get("h100_sxm");
  EXPECT_EQ(nothing.lacks(Rope{}, gpu, {}), "the method has no features of this family");
  EXPECT_EQ(nothing.lacks(Gemm{.m = 64, .n = 512, .k = 512}, gpu, {}), "no network was learned for gemm");
  EXPECT_EQ(nothing.lacks(FusedMoe{}, gpu, {}),
            "the method has one pass of the experts' kernel, not a layer");
  const LatencyEstimate said = nothing.estimate(Rope{}, gpu);
  EXPECT_EQ(said.tier, Tier::Roofline);
  EXPECT_EQ(said.p50, RooflineModel().estimate(Rope{}, gpu).p50);
}

TEST(PipeWeave, LearnsCollectivesByAForest) {
  if (!learning_available()) GTEST_SKIP() << "forests need the training library";
  Dataset dataset;
  std::vector<std::uint32_t> rows;
  for (double size = 2048; size < 1e8; size *= 1.1)
    for (const std::int64_t ranks : {2, 8}) {
      rows.push_back(std::uint32_t(dataset.size()));
      dataset.add({.op = Collective{.size = Bytes(std::floor(size)), .ranks = ranks},
                   .gpu = "h100_sxm",
                   .framework = "nccl",
                   .version = "",
                   .kernel = "nccl",
                   .latency = Seconds(1e-5 * double(ranks) + size * 1e-11)});
    }
  const PipeWeaveModel model = train_pipeweave({dataset, rows}, pw_catalog(), {});
  const GpuSpec& gpu = pw_catalog().get("h100_sxm");
  for (const std::int64_t ranks : {2, 8}) {
    const Collective asked{.size = Bytes(1e7), .ranks = ranks};
    EXPECT_NEAR(model.estimate(asked, gpu).p50.value(), 1e-5 * double(ranks) + 1e-4, 1.2e-5);
  }
  EXPECT_EQ(model.lacks(Collective{.kind = CollectiveKind::AllGather}, gpu, {}),
            "no forest of allgather was learned for this GPU");
  EXPECT_FALSE(model.lacks(Collective{}, pw_catalog().get("a100_sxm"), {}).empty());
}

TEST(MethodFile, GivesBackWhatWasWrittenAndRefusesDamage) {
  if (!learning_available()) GTEST_SKIP() << "forests need the training library";
  const Fp8Rows data;
  const PipeWeaveModel model = trained(data);
  const std::string bytes = method_to_bytes(model, {.data_hash = 7, .seed = 42, .rows = 3});
  const MethodFile read = method_from_bytes(bytes, "fp8.wlb");
  EXPECT_EQ(read.kind, BaselineKind::PipeWeave);
  const Gemm asked{.scheme = MatmulScheme::Fp8Block, .m = 3000, .n = 4096, .k = 4096};
  const GpuSpec& gpu = pw_catalog().get("h100_sxm");
  EXPECT_EQ(read.model->estimate(asked, gpu).p50, model.estimate(asked, gpu).p50);
  EXPECT_TRUE(read.model->lacks(asked, gpu, {}).empty());
  EXPECT_EQ(method_to_bytes(read), bytes);
  const std::string ceiling = method_to_bytes(model, {.quantile = 0.8});
  EXPECT_EQ(method_from_bytes(ceiling, "ceiling.wlb").provenance.quantile, 0.8);
  EXPECT_THROW(method_from_bytes(bytes.substr(0, bytes.size() / 2), "cut"), InvalidInput);
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = char(damaged[bytes.size() / 2] ^ 1);
  EXPECT_THROW(method_from_bytes(damaged, "damaged"), InvalidInput);
  EXPECT_THROW(method_from_bytes("no such file", "text"), InvalidInput);
}

}  // namespace
}  // namespace warploom::baselines
