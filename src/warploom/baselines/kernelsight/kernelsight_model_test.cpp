// Training on made-up kernels whose efficiency is known, the file, and what the method has no model for.
#include "warploom/baselines/kernelsight/kernelsight_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/framed_file.h"
#include "warploom/base/learning.h"
#include "warploom/baselines/kernelsight/train_kernelsight.h"
#include "warploom/baselines/method_file.h"
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
  const KernelSightModel model = train_kernelsight({data.dataset, data.rows}, ks_catalog());
  const Measurement asked = gemm_row(3000, "h100_sxm", 1);
  const LatencyEstimate said = model.estimate(asked.op, ks_catalog().get("h100_sxm"), ks_context(asked));
  EXPECT_NEAR(said.p50.value() / ks_seconds(asked.op, "h100_sxm"), 1, 0.12);
  EXPECT_EQ(said.tier, Tier::Measured);
  // Beyond the sweep there is nothing to interpolate between.
  const Measurement beyond = gemm_row(50000, "h100_sxm", 1);
  const LatencyEstimate carried = model.estimate(beyond.op, ks_catalog().get("h100_sxm"), ks_context(beyond));
  EXPECT_NEAR(carried.p50.value() / ks_seconds(beyond.op, "h100_sxm"), 1, 0.15);
  EXPECT_EQ(carried.tier, Tier::CrossGpu);
}

TEST(KernelSight, CarriesTheEfficiencyToAGpuThatWasNotSwept) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  const KernelSightRows data;
  const KernelSightModel model = train_kernelsight({data.dataset, data.rows}, ks_catalog());
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

TEST(KernelSight, AnswersAQuestionThatNamesNoLibraryByTheUsualOne) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  KernelSightRows data;
  // A second library of fewer rows, twice as slow.
  for (std::int64_t m = 64; m <= 16384; m = m * 9 / 8) {
    const Measurement row = gemm_row(m, "h100_sxm", 1);
    data.rows.push_back(std::uint32_t(data.dataset.size()));
    data.dataset.add(gemm_row(m, "h100_sxm", 2e6 * ks_seconds(row.op, "h100_sxm"), "sglang"));
  }
  const KernelSightModel model = train_kernelsight({data.dataset, data.rows}, ks_catalog());
  const GpuSpec& gpu = ks_catalog().get("h200_sxm");
  const Measurement asked = gemm_row(3000, "h200_sxm", 1);
  EXPECT_TRUE(model.lacks(asked.op, gpu, {}).empty());
  const Seconds said = model.estimate(asked.op, gpu).p50;
  EXPECT_EQ(said, model.estimate(asked.op, gpu, ks_context(asked)).p50);
  EXPECT_NE(said, model.estimate(asked.op, gpu, {"sglang", "1.0", "linear"}).p50);
  // One that is named and was not learned is not taken for it.
  EXPECT_FALSE(model.lacks(asked.op, gpu, {"trtllm", "1.0", "linear"}).empty());
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
  const KernelSightModel model = train_kernelsight({dataset, rows}, ks_catalog());
  const KernelSightFamily& family = model.families().at(Family::Gemm);
  EXPECT_NE(family.learner, LearnerKind::Analytic);
  EXPECT_EQ(family.rows, rows.size());
  EXPECT_EQ(family.gpus, (std::vector<std::string>{"a100_sxm", "h100_sxm", "l40s"}));
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
  const KernelSightModel model = train_kernelsight({dataset, rows}, ks_catalog());
  const GpuSpec& gpu = ks_catalog().get("h100_sxm");
  EXPECT_NEAR(model.estimate(Collective{.size = Bytes(3e7), .ranks = 4}, gpu).p50.value(), 3.2e-4, 1e-6);
  EXPECT_FALSE(model.lacks(Collective{.ranks = 2}, gpu, {}).empty());
}

// Every kind of learner and every record: products on three GPUs and a collective.
std::string every_record(LearnerKind kind) {
  EfficiencySamples samples;
  for (const std::int64_t m : {64, 640, 6400}) {
    samples.views.push_back(efficiency_view(gemm_row(m, "h100_sxm", 1).op, ks_catalog().get("h100_sxm")));
    samples.log_efficiency.push_back(-double(m) / 6400);
  }
  const Measurement asked = gemm_row(3000, "h100_sxm", 1);
  const GpuSpec& gpu = ks_catalog().get("h100_sxm");
  const CircleKeys keys = circle_keys(operator_coordinates(asked.op), gpu, ks_context(asked));
  KernelSightParts parts;
  parts.kernels.emplace(keys[std::size_t(Circle::Library)],
                        KernelSightKernel{5e-6, EfficiencyLearner(kind, samples, 1)});
  parts.links[link_key(Collective{.ranks = 4}, gpu)] = {2e-5, 1e-11};
  parts.families[Family::Gemm] = {kind, {"h100_sxm"}, 3};
  return method_to_bytes(KernelSightModel(std::move(parts)), {.data_hash = 7, .seed = 1, .rows = 3});
}

TEST(KernelSightFile, GivesBackEveryLearner) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  for (const auto& [kind, name] : EnumNames<LearnerKind>::kNames) {
    const std::string bytes = every_record(kind);
    const MethodFile read = method_from_bytes(bytes, "ks.wlb");
    EXPECT_EQ(read.kind, BaselineKind::KernelSight);
    EXPECT_EQ(read.provenance.data_hash, 7U);
    EXPECT_EQ(method_to_bytes(read), bytes) << name;
    // A GPU that was not swept, so that the learner answers.
    const Measurement asked = gemm_row(3000, "h200_sxm", 1);
    const LatencyEstimate said =
        read.model->estimate(asked.op, ks_catalog().get("h200_sxm"), ks_context(asked));
    EXPECT_EQ(said.tier, Tier::CrossGpu) << name;
    EXPECT_GE(said.p50.value(), 5e-6) << name;
  }
}

TEST(KernelSightFile, AnswersAsTheModelThatWasWritten) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  const KernelSightRows data;
  const KernelSightModel model = train_kernelsight({data.dataset, data.rows}, ks_catalog(), {.threads = 1});
  const std::string bytes = method_to_bytes(model, {});
  EXPECT_EQ(method_to_bytes(train_kernelsight({data.dataset, data.rows}, ks_catalog(), {.threads = 2}), {}),
            bytes);
  const MethodFile read = method_from_bytes(bytes, "ks.wlb");
  EXPECT_EQ(method_to_bytes(read), bytes);
  for (const char* gpu : {"h100_sxm", "h200_sxm"}) {
    const Measurement asked = gemm_row(3000, gpu, 1);
    const GpuSpec& spec = ks_catalog().get(gpu);
    EXPECT_EQ(read.model->estimate(asked.op, spec, ks_context(asked)).p50,
              model.estimate(asked.op, spec, ks_context(asked)).p50);
    EXPECT_TRUE(read.model->lacks(asked.op, spec, ks_context(asked)).empty());
    EXPECT_FALSE(read.model->lacks(RmsNorm{}, spec, {}).empty());
  }
}

TEST(KernelSightFile, RefusesDamageOtherMethodsAndOtherFeatures) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  const std::string bytes = every_record(LearnerKind::Mlp);
  EXPECT_THROW(method_from_bytes(bytes.substr(0, bytes.size() / 2), "cut"), InvalidInput);
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = char(damaged[bytes.size() / 2] ^ 1);
  EXPECT_THROW(method_from_bytes(damaged, "damaged"), InvalidInput);
  // Sound frames around heads that this program did not write.
  const FileFormat format{.magic = "WLMETHOD", .schema = "warploom_method", .written_by = "a test"};
  const auto refusal = [&](const char* method, int version) -> std::string {
    Json head = file_head(format, "a test");
    head["method"] = method;
    head["data_hash"] = hash_text(1);
    head["seed"] = head["rows"] = 1;
    head["feature_version"] = version;
    try {
      method_from_bytes(framed_file(format, head, std::string(24, '\0')), "odd.wlb");
    } catch (const Unsupported& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal("kernelsight", kEfficiencyViewVersion), "");
  EXPECT_NE(refusal("kernelsight", kEfficiencyViewVersion + 1).find("run `warploom train --method` again"),
            std::string::npos);
  EXPECT_EQ(refusal("oracle", 1), "odd.wlb: holds the method 'oracle', expected pipeweave or kernelsight");
}

TEST(KernelSight, LearnsFromADrawWhereOneIsAskedFor) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  const KernelSightRows data;
  const auto bytes = [&](std::size_t rows_per_gpu, std::uint64_t seed) {
    const KernelSightModel model = train_kernelsight({data.dataset, data.rows}, ks_catalog(),
                                                     {.rows_per_gpu = rows_per_gpu, .seed = seed});
    EXPECT_LE(model.families().at(Family::Gemm).rows, data.rows.size());
    return method_to_bytes(model, {});
  };
  EXPECT_NE(bytes(20, 1), bytes(0, 1));
  EXPECT_NE(bytes(20, 1), bytes(20, 2));
  EXPECT_EQ(bytes(20, 1), bytes(20, 1));
}

}  // namespace
}  // namespace warploom::baselines
