// Tables with the built-in corrections, judged on stored H200 measurements of shapes that neither saw.
#include "warploom/app/tune/tune_correction.h"

#include <gtest/gtest.h>

#include "warploom/app/tune/correction_file.h"
#include "warploom/app/tune/formula_file.h"
#include "warploom/app/tune/tune_fit.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/tuner/regret.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {
namespace {

std::vector<std::filesystem::path> fixture(const std::string& name) {
  return {std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/tuner" / (name + ".csv.gz")};
}

RegretSummary judged(const TileKernel& kernel, const std::string& name, const std::string& fallback) {
  TuneFitRequest request;
  request.gpu = "H200";
  request.samples = fixture(name + "_anchors");
  request.kernel = kernel;
  request.default_config = fallback;
  const TuneFitResult fitted = tune_fit(request);
  EXPECT_LE(fitted.bytes, std::size_t{1000000});
  return summarize(regret_of(fitted.table, oracle_shapes(read_tile_samples(fixture(name + "_exhaustive")))));
}

TEST(TuneCorrection, GemmPicksAreNearlyTheBest) {
  const RegretSummary summary = judged({}, "gemm", "128x128x64/w8/s3");
  EXPECT_GE(summary.shapes, 150U);
  EXPECT_GT(summary.geo_mean_share, 0.99);
  EXPECT_GT(summary.worst_share, 0.9);
  EXPECT_GT(*summary.geo_mean_speedup, 1.5);
  EXPECT_GT(*summary.worst_speedup, 0.98);
}

TEST(TuneCorrection, GroupedGemmPicksAreNearlyTheBest) {
  const TileKernel kernel{.name = "grouped", .kind = TileKernelKind::GroupedGemm, .experts = 16, .top_k = 2};
  const RegretSummary summary = judged(kernel, "grouped", "64x64x32/w4/s3");
  EXPECT_GT(summary.geo_mean_share, 0.985);
  EXPECT_GT(summary.worst_share, 0.85);
  EXPECT_GT(*summary.geo_mean_speedup, 1.15);
  EXPECT_GT(*summary.worst_speedup, 0.98);
}

TEST(TuneCorrection, AttentionPicksAreNearlyTheBest) {
  const TileKernel kernel{
      .name = "attention", .kind = TileKernelKind::Attention, .head_group = 4, .causal = true};
  const RegretSummary summary = judged(kernel, "attention", "128x64x64/w4/s3");
  EXPECT_GT(summary.geo_mean_share, 0.99);
  EXPECT_GT(summary.worst_share, 0.9);
}

TEST(TuneCorrection, Fp8PicksHaveACorrectionOfTheirOwn) {
  TuneFitRequest request;
  request.gpu = "H200";
  request.samples = fixture("gemm_fp8_anchors");
  request.kernel.operand_bytes = 1;
  const TuneFitResult fitted = tune_fit(request);
  EXPECT_TRUE(fitted.corrected);
  const auto oracle = oracle_shapes(read_tile_samples(fixture("gemm_fp8_blind")));
  const RegretSummary summary = summarize(regret_of(fitted.table, oracle));
  EXPECT_GE(summary.shapes, 150U);
  EXPECT_GT(summary.geo_mean_share, 0.96);
  EXPECT_GT(*summary.geo_mean_speedup, 1.9);
}

TEST(TuneCorrection, LoopsInPartsAreTakenWhereGridsAreSmall) {
  TuneFitRequest request;
  request.gpu = "H200";
  request.samples = fixture("gemm_split_anchors");
  const TuneFitResult fitted = tune_fit(request);
  const auto oracle = oracle_shapes(read_tile_samples(fixture("gemm_split_exhaustive")));
  const RegretSummary summary = summarize(regret_of(fitted.table, oracle));
  EXPECT_GT(summary.geo_mean_share, 0.97);
  EXPECT_GT(*summary.geo_mean_speedup, 4.0);
  EXPECT_GT(fitted.table.pick({16, 512, 16384}).config.split_k, 1);
  EXPECT_EQ(fitted.table.pick({8192, 8192, 1024}).config.split_k, 1);
}

TEST(TuneCorrection, ServesAUsersKernelWhoseSecondOperandRunsAlongN) {
  TuneFitRequest request;
  request.gpu = "H200";
  request.samples = fixture("tutorial_anchors");
  request.default_config = "128x256x64/w8/s3";
  const auto oracle = oracle_shapes(read_tile_samples(fixture("tutorial_exhaustive")));
  const RegretSummary blind = summarize(regret_of(tune_fit(request).table, oracle));
  request.kernel.b_along_n = true;
  const RegretSummary seen = summarize(regret_of(tune_fit(request).table, oracle));
  EXPECT_GT(seen.geo_mean_share, 0.98);
  EXPECT_GT(seen.worst_share, 0.9);
  EXPECT_LT(blind.worst_share, 0.8);
}

// Shapes left out of an H100's anchors are met better by fits that begin with the H200's formulas.
TEST(KnownFormulas, HelpAnotherGpusFits) {
  const std::vector<TileSample> samples = read_tile_samples(fixture("h100/attention_anchors")).rows;
  TileKernel kernel{.kind = TileKernelKind::Attention, .head_group = 4, .causal = true};
  const TileGpu gpu{.name = "h100_sxm", .l2_bytes_per_us = 8.82e6};
  const auto known = built_in_formulas(kernel);
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->gpu, "h200_sxm");
  std::vector<TileSample> kept, left;
  for (const TileSample& sample : samples) {
    const TileShape& shape = sample.shape;
    ((shape.m / 16 + shape.n / 64 + shape.k) % 3 == 0 ? left : kept).push_back(sample);
  }
  ASSERT_GT(left.size(), 200U);
  const auto error = [&](const WaveModel& model) {
    double sum = 0;
    for (const TileSample& sample : left)
      for (std::size_t i = 0; i < model.configs.size(); ++i)
        if (model.configs[i].config == sample.config)
          sum += std::abs(std::log(predict_us(model, i, sample.shape) / sample.median_us));
    return sum;
  };
  EXPECT_LT(error(fit_wave_model(kernel, gpu, kept, known->formulas)),
            0.97 * error(fit_wave_model(kernel, gpu, kept)));
}

TEST(KnownFormulas, HaveNothingToAddToTheirOwnSamples) {
  const TileKernel kernel{.kind = TileKernelKind::Attention, .head_group = 4, .causal = true};
  const KnownFormulas known = built_in_formulas(kernel)->formulas;
  const auto model = [&](const std::string& name) {
    return fit_wave_model(kernel, {}, read_tile_samples(fixture(name)).rows);
  };
  EXPECT_TRUE(is_known(model("attention_anchors"), known));
  EXPECT_FALSE(is_known(model("h100/attention_anchors"), known));
}

TEST(KnownFormulas, AreThereForWhatTheyWereMeasuredWith) {
  EXPECT_EQ(built_in_formulas({.operand_bytes = 1})->formulas.size(), 358U);
  EXPECT_FALSE(built_in_formulas({.operand_bytes = 4}).has_value());
  EXPECT_FALSE(built_in_formulas({.kind = TileKernelKind::PagedDecode}).has_value());
}

TEST(TuneCorrection, LeavesKernelsAloneThatItWasNotLearnedFrom) {
  TileKernel wide;
  wide.operand_bytes = 4;
  EXPECT_EQ(built_in_correction(wide), nullptr);
  wide = {.kind = TileKernelKind::Attention, .operand_bytes = 1};
  EXPECT_EQ(built_in_correction(wide), nullptr);
  // A GPU ten times as slow whose times grow differently: the formula fits, the correction does not.
  std::vector<TileSample> samples = read_tile_samples(fixture("gemm_anchors")).rows;
  samples.resize(4000);
  for (TileSample& sample : samples)
    sample.median_us = 100 + double(sample.shape.n) * double(sample.shape.m) * double(sample.shape.k) * 1e-5;
  const WaveModel model = fit_wave_model({}, {}, samples);
  EXPECT_FALSE(correction_fits(model, *built_in_correction(TileKernel{}), samples));
}

TEST(TuneCorrection, LearnsWhatItWrites) {
  const ScratchFolder folder;
  TuneLearnRequest request;
  request.gpu = "H200";
  request.kernel.kind = TileKernelKind::Attention;
  request.kernel.head_group = 4;
  request.kernel.causal = true;
  EXPECT_THROW(tune_learn(request), InvalidInput);
  request.sets = {{fixture("attention_anchors"), fixture("attention_exhaustive")}};
  request.output = folder.path();
  const TuneLearnResult result = tune_learn(request);
  EXPECT_GT(result.rows, 6000U);
  EXPECT_LT(result.after, 0.3 * result.before);
  const CorrectionKind kind{TileKernelKind::Attention};
  const CorrectionFile file = correction_from_bytes(read_file(folder.path() / "attention.wlc"), kind, "it");
  EXPECT_GT(file.trees.trees.size(), 100U);
  EXPECT_EQ(file.gpus, std::vector<std::string>{"h200_sxm"});
  EXPECT_EQ(result.gpus, file.gpus);
  const FormulaFile formulas = formulas_from_bytes(read_file(folder.path() / "attention.wlf"), "it");
  EXPECT_EQ(formulas.gpu, "h200_sxm");
  EXPECT_EQ(formulas_to_bytes(formulas), formulas_to_bytes(*built_in_formulas(request.kernel)));
}

// What `tune fit` says of the built-in files is what stands in them.
TEST(TuneCorrection, SaysWhereItWasLearned) {
  TuneFitRequest request{.samples = fixture("attention_anchors"),
                         .gpu = "H200",
                         .kernel = {.kind = TileKernelKind::Attention, .head_group = 4, .causal = true}};
  const std::vector<std::string> learned_on{"h200_sxm"};
  EXPECT_EQ(tune_fit(request).learned_on, learned_on);
  request.gpu = "h100_sxm";
  EXPECT_EQ(tune_fit(request).learned_on, learned_on);
  request.corrected = false;
  EXPECT_TRUE(tune_fit(request).learned_on.empty());
}

TEST(TuneCorrection, AFileFromBeforeItSaidSoIsReadAndDoesNotKnow) {
  const std::filesystem::path old =
      std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/formats/files/correction-1.0.wlc";
  const CorrectionKind kind{TileKernelKind::GroupedGemm, false, true};
  const CorrectionFile file = correction_from_bytes(read_file(old), kind, "old");
  EXPECT_TRUE(file.gpus.empty());
  EXPECT_EQ(file.trees.trees.size(), 2U);
}

}  // namespace
}  // namespace warploom
