#include "warploom/predictor/predictor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/model/cell_index.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/training/train_predictor.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

// Latencies that are the structural base times a smooth factor of the shape, other for each framework.
Dataset synthetic_gemms(std::size_t shapes) {
  Dataset dataset;
  RandomStream random(3, "gemms");
  for (std::size_t i = 0; i < shapes; ++i) {
    Gemm gemm;
    gemm.m = random.integer(1, 4096);
    gemm.n = 64 * random.integer(1, 128);
    gemm.k = 64 * random.integer(1, 128);
    for (const char* gpu : {"h100_sxm", "h200_sxm", "a100_sxm"})
      for (const char* framework : {"vllm", "trtllm"}) {
        OperatorFeatures row;
        compute_features(Operator(gemm), catalog().get(gpu), row);
        const double factor =
            (framework[0] == 'v' ? 1.5 : 2.0) * (1.2 + 0.2 * std::sin(std::log2(double(gemm.m))));
        Measurement m{Operator(gemm),
                      gpu,
                      framework,
                      framework[0] == 'v' ? "0.9.0" : "1.0",
                      "linear",
                      Seconds(std::exp(row.log_base) * factor * random.uniform(0.98, 1.02)),
                      1,
                      Layout::Warploom,
                      {}};
        dataset.add(m);
      }
  }
  return dataset;
}

const TrainingResult& trained() {
  static const TrainingResult result = [] {
    TrainingOptions options;
    options.threads = 2;
    return train_predictor(synthetic_gemms(500), catalog(), options);
  }();
  return result;
}

const Predictor& predictor() {
  static const Predictor instance(trained().models);
  return instance;
}

TEST(TrainPredictor, LearnsWhatTheFeaturesSay) {
  ASSERT_EQ(trained().models.size(), 1U);
  const FamilyTraining& report = trained().report[0];
  EXPECT_LT(report.held_out.mean, 0.05);
  EXPECT_GT(report.held_out.coverage, 0.60);
  EXPECT_LT(report.held_out.coverage, 0.95);
  EXPECT_LT(report.left_out.at("h200_sxm").mean, 0.15);
}

TEST(TrainPredictor, GivesEqualBytesForAnyNumberOfThreads) {
  const Dataset dataset = synthetic_gemms(80);
  TrainingOptions one, two;
  one.threads = 1;
  two.threads = 2;
  EXPECT_EQ(model_to_bytes(train_predictor(dataset, catalog(), one).models.at(0)),
            model_to_bytes(train_predictor(dataset, catalog(), two).models.at(0)));
}

TEST(TrainPredictor, LeavesExcludedGpusOut) {
  TrainingOptions options;
  options.exclude_gpus = {"H200"};
  const TrainingResult result = train_predictor(synthetic_gemms(80), catalog(), options);
  for (const GpuRecord& gpu : result.models.at(0).gpus) EXPECT_NE(gpu.name, "h200_sxm");
  const Predictor model(result.models);
  EXPECT_EQ(model.estimate(Gemm{.m = 128, .n = 4096, .k = 4096}, catalog().get("h200_sxm")).tier,
            Tier::CrossGpu);
  options.exclude_gpus = {"H2000"};
  EXPECT_THROW(train_predictor(synthetic_gemms(100), catalog(), options), NotFound);
}

double mean_error(const std::vector<FamilyModel>& models, const Dataset& dataset, const std::string& gpu) {
  const Predictor model(models);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t r = 0; r < dataset.size(); ++r) {
    if (dataset.gpu(r) != gpu || !ShapeSplit{}.is_test(dataset.shape(r))) continue;
    const LatencyEstimate estimate = model.estimate(dataset.op(r), catalog().get(gpu), dataset.context(r));
    sum += std::abs(estimate.p50.value() / dataset.latency(r).value() - 1);
    ++count;
  }
  return sum / double(count);
}

// The same data with one GPU slower by a smooth factor that no other GPU shows.
Dataset with_a_slow_gpu(const std::string& gpu) {
  Dataset dataset = synthetic_gemms(400);
  for (std::size_t r = 0; r < dataset.size(); ++r)
    if (dataset.gpu(r) == gpu) {
      const double n = double(std::get<Gemm>(dataset.op(r)).n);
      dataset.set_latency(r, Seconds(dataset.latency(r).value() * (1.4 + 0.05 * std::log2(n))), 1);
    }
  return dataset;
}

TEST(TrainPredictor, TakesFromASiblingWhatItNeedsBeyondItsBase) {
  const Dataset dataset = synthetic_gemms(400);
  TrainingOptions options;
  options.exclude_gpus = {"h200_sxm"};
  EXPECT_LT(mean_error(train_predictor(dataset, catalog(), options).models, dataset, "h200_sxm"), 0.06);
}

TEST(TrainPredictor, LearnsANewGpuFromFewShapes) {
  for (const std::string gpu : {"h200_sxm", "a100_sxm"}) {
    const Dataset dataset = with_a_slow_gpu(gpu);
    TrainingOptions without, few;
    without.exclude_gpus = {gpu};
    few.few_shot[gpu] = 40;
    const TrainingResult result = train_predictor(dataset, catalog(), few);
    EXPECT_GT(mean_error(train_predictor(dataset, catalog(), without).models, dataset, gpu), 0.3) << gpu;
    EXPECT_LT(mean_error(result.models, dataset, gpu), 0.10) << gpu;
    const std::string bytes = model_to_bytes(result.models[0]);
    EXPECT_EQ(mean_error({model_from_bytes(bytes, "test")}, dataset, gpu),
              mean_error(result.models, dataset, gpu));
    EXPECT_EQ(
        Predictor(result.models)
            .estimate(Gemm{.m = 128, .n = 4096, .k = 4096}, catalog().get(gpu), {"vllm", "0.9.0", "linear"})
            .tier,
        Tier::Measured);
  }
}

TEST(TrainPredictor, LearnsFromOneGpuAlone) {
  const Dataset dataset = synthetic_gemms(100);
  TrainingOptions options;
  options.exclude_gpus = {"h200_sxm", "a100_sxm"};
  const TrainingResult result = train_predictor(dataset, catalog(), options);
  ASSERT_EQ(result.models.at(0).gpus.size(), 1U);
  const LatencyEstimate estimate =
      Predictor(result.models).estimate(Gemm{.m = 128, .n = 4096, .k = 4096}, catalog().get("l40s"));
  EXPECT_EQ(estimate.tier, Tier::CrossGpu);
  EXPECT_LT(estimate.p10.value(), estimate.p50.value());
}

TEST(TrainPredictor, KeepsTreesOfItsOwnForAGpuAsWellMeasuredAsTheRest) {
  const TrainingResult result = train_predictor(synthetic_gemms(40), catalog(), {});
  for (const GpuRecord& gpu : result.models.at(0).gpus) EXPECT_FALSE(gpu.adapted) << gpu.name;
}

TEST(TrainPredictor, RefusesAFamilyWithoutRows) {
  TrainingOptions options;
  options.families = {Family::Moe};
  EXPECT_THROW(train_predictor(synthetic_gemms(100), catalog(), options), InvalidInput);
}

TEST(ModelFile, GivesBackWhatWasWritten) {
  const FamilyModel& model = trained().models[0];
  const std::string bytes = model_to_bytes(model);
  EXPECT_EQ(model_to_bytes(model_from_bytes(bytes, "test")), bytes);
}

TEST(ModelFile, RefusesANewerMajorVersionNamingBoth) {
  std::string bytes = model_to_bytes(trained().models[0]);
  bytes[8] = 9;
  try {
    model_from_bytes(bytes, "future.wlp");
    FAIL() << "expected Unsupported";
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("version 9."), std::string::npos);
    const std::string ours = "reads version " + std::to_string(kPredictorFileMajor) + ".";
    EXPECT_NE(std::string(error.what()).find(ours), std::string::npos);
  }
}

TEST(ModelFile, RefusesADamagedFile) {
  std::string bytes = model_to_bytes(trained().models[0]);
  bytes[bytes.size() / 2] = char(bytes[bytes.size() / 2] ^ 1);
  EXPECT_THROW(model_from_bytes(bytes, "test"), InvalidInput);
  EXPECT_THROW(model_from_bytes("hello", "test"), InvalidInput);
}

TEST(Predictor, NamesTheTierItAnswersFrom) {
  const Operator gemm = Gemm{.m = 128, .n = 4096, .k = 4096};
  EXPECT_EQ(predictor().estimate(gemm, catalog().get("h100_sxm")).tier, Tier::Measured);
  EXPECT_EQ(predictor().estimate(gemm, catalog().get("l40s")).tier, Tier::CrossGpu);
  EXPECT_EQ(predictor().estimate(RmsNorm{.tokens = 64}, catalog().get("h100_sxm")).tier, Tier::Roofline);
}

TEST(Predictor, TakesVllmWhenTheContextIsEmpty) {
  const Operator gemm = Gemm{.m = 128, .n = 4096, .k = 4096};
  const GpuSpec& gpu = catalog().get("h100_sxm");
  EXPECT_EQ(predictor().answer(gemm, gpu).implementation.framework, "vllm");
  EXPECT_EQ(predictor().answer(gemm, gpu, {"trtllm", "", ""}).implementation.framework, "trtllm");
  EXPECT_EQ(predictor().answer(gemm, gpu, {"trtllm", "7.7", "linear"}).implementation.version, "1.0");
  EXPECT_LT(predictor().estimate(gemm, gpu).p50.value(),
            predictor().estimate(gemm, gpu, {"trtllm", "", ""}).p50.value());
}

TEST(Predictor, RefusesOperatorsThatMakeNoSense) {
  EXPECT_THROW(predictor().estimate(Gemm{.m = -1}, catalog().get("h100_sxm")), InvalidInput);
}

TEST(Predictor, SaysWhenItLeavesTheMeasuredDomain) {
  const GpuSpec& gpu = catalog().get("h100_sxm");
  const LatencyEstimate inside = predictor().estimate(Gemm{.m = 512, .n = 4096, .k = 2048}, gpu);
  const LatencyEstimate outside = predictor().estimate(Gemm{.m = 1 << 20, .n = 4096, .k = 4096}, gpu);
  EXPECT_FALSE(inside.extrapolated);
  EXPECT_TRUE(outside.extrapolated);
}

RC_GTEST_PROP(Predictor, KeepsQuantilesInOrderAndAboveTheBound, ()) {
  Gemm gemm;
  gemm.m = *rc::gen::inRange<std::int64_t>(1, 100000);
  gemm.n = *rc::gen::inRange<std::int64_t>(1, 100000);
  gemm.k = *rc::gen::inRange<std::int64_t>(1, 100000);
  const auto& gpus = catalog().gpus();
  const GpuSpec& gpu = gpus[*rc::gen::inRange<std::size_t>(0, gpus.size())];
  LatencyEstimate e;
  try {
    e = predictor().estimate(gemm, gpu);
  } catch (const Unsupported&) {
    RC_DISCARD("the GPU cannot run it");
  }
  RC_ASSERT(std::isfinite(e.p90.value()));
  RC_ASSERT(e.p10.value() > 0);
  RC_ASSERT(e.p10.value() <= e.p50.value());
  RC_ASSERT(e.p50.value() <= e.p90.value());
  RC_ASSERT(e.p10.value() >= e.physical_bound.value() * (1 - 1e-12));
}

}  // namespace
}  // namespace warploom
