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

// Rows of SiLU-and-mul on two GPUs at 1 % of the pipes' rate, a little less for few tokens: slower than the
// memory allows.
double pw_efficiency(std::int64_t tokens) { return 0.01 * double(tokens) / double(tokens + 500); }

Measurement silu_row(std::int64_t tokens, std::int64_t width, const char* gpu) {
  const Activation op{.tokens = tokens, .width = width};
  const GpuSpec& spec = pw_catalog().get(gpu);
  const double cycles =
      published::silu_and_mul(tokens, 2 * width, published::Hardware::of(spec)).theory_cycles();
  return {.op = op,
          .gpu = gpu,
          .framework = "library",
          .version = "1.0",
          .kernel = "silu",
          .latency = Seconds(cycles / (spec.boost_clock.value() * pw_efficiency(tokens)))};
}

struct SiluRows {
  Dataset dataset;
  std::vector<std::uint32_t> rows;
  SiluRows() {
    for (std::int64_t tokens = 200; tokens < 20000; tokens = tokens * 21 / 20)
      for (const std::int64_t width : {2048, 4096, 11008})
        for (const char* gpu : {"h100_sxm", "a100_sxm"}) {
          rows.push_back(std::uint32_t(dataset.size()));
          dataset.add(silu_row(tokens, width, gpu));
        }
  }
};

PipeWeaveModel trained(const SiluRows& data, double quantile = 0) {
  return train_pipeweave({data.dataset, data.rows}, pw_catalog(), {.epochs = 400, .quantile = quantile});
}

TEST(PipeWeave, LearnsTheEfficiencyOfAKernelAndCarriesItToAnotherGpu) {
  if (!learning_available()) GTEST_SKIP() << "forests need the training library";
  const SiluRows data;
  const PipeWeaveModel model = trained(data);
  ASSERT_EQ(model.kernels().size(), 1U);
  const PipeWeaveKernel& kernel = model.kernels().at(published::PublishedKernel::SiluAndMul);
  EXPECT_EQ(kernel.rows, data.rows.size());
  EXPECT_EQ(kernel.gpus, (std::vector<std::string>{"a100_sxm", "h100_sxm"}));
  for (const std::int64_t tokens : {700, 5300}) {
    for (const char* gpu : {"h100_sxm", "h200_sxm"}) {
      const Measurement asked = silu_row(tokens, 4096, gpu);
      const LatencyEstimate said = model.estimate(asked.op, pw_catalog().get(gpu));
      EXPECT_NEAR(said.p50 / asked.latency, 1, 0.2) << gpu << " " << tokens;
      EXPECT_EQ(said.tier, std::string_view(gpu) == "h100_sxm" ? Tier::Measured : Tier::CrossGpu);
    }
  }
  // Far beyond what it learned it stays by what it saw.
  const Measurement far = silu_row(400000, 11008, "h100_sxm");
  EXPECT_NEAR(model.estimate(far.op, pw_catalog().get("h100_sxm")).p50 / far.latency, 1, 0.3);
}

TEST(PipeWeave, LearnsACeilingAboveMostRows) {
  if (!learning_available()) GTEST_SKIP() << "forests need the training library";
  SiluRows data;
  // Every third row runs at half its speed.
  for (std::size_t row = 0; row < data.dataset.size(); row += 3)
    data.dataset.set_latency(row, data.dataset.latency(row) * 2.0, 1);
  const PipeWeaveModel model = trained(data, 0.8);
  std::size_t below = 0;
  for (const std::uint32_t row : data.rows) {
    const LatencyEstimate said =
        model.estimate(data.dataset.op(row), pw_catalog().get(data.dataset.gpu(row)));
    below += said.p50 <= data.dataset.latency(row) ? 1 : 0;
  }
  EXPECT_NEAR(double(below) / double(data.rows.size()), 0.8, 0.15);
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
  const SiluRows data;
  const PipeWeaveModel model = trained(data);
  const std::string bytes = method_to_bytes(model, {.data_hash = 7, .seed = 42, .rows = 3});
  const PipeWeaveFile read = pipeweave_from_bytes(bytes, "silu.wlb");
  const Activation asked{.tokens = 3000, .width = 4096};
  const GpuSpec& gpu = pw_catalog().get("h100_sxm");
  EXPECT_EQ(read.model.estimate(asked, gpu).p50, model.estimate(asked, gpu).p50);
  EXPECT_TRUE(read.model.lacks(asked, gpu, {}).empty());
  EXPECT_EQ(method_to_bytes(read.model, read.provenance), bytes);
  EXPECT_THROW(pipeweave_from_bytes(bytes.substr(0, bytes.size() / 2), "cut"), InvalidInput);
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = char(damaged[bytes.size() / 2] ^ 1);
  EXPECT_THROW(pipeweave_from_bytes(damaged, "damaged"), InvalidInput);
  EXPECT_THROW(pipeweave_from_bytes("no such file", "text"), InvalidInput);
}

}  // namespace
}  // namespace warploom::baselines
