#include "warploom/predictor/training/train_new_layers.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/training/train_predictor.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

const GpuSpec& h200() { return catalog().get("h200_sxm"); }

constexpr std::array<std::int64_t, 5> kHidden{2048, 3072, 4096, 6144, 7168};
constexpr std::array<std::int64_t, 4> kIntermediate{768, 1024, 1536, 2048};

FusedMoe layer(std::int64_t tokens, std::int64_t hidden, std::int64_t intermediate, std::int64_t ways) {
  FusedMoe op;
  op.tokens = tokens;
  op.hidden = hidden;
  op.intermediate = intermediate;
  op.experts = 128;
  op.top_k = 8;
  op.expert_parallel = ways;
  return op;
}

double base_seconds(const FusedMoe& op) {
  OperatorFeatures row;
  compute_features(op, h200(), ContextKernel(KernelContext{"vllm", "1.0", "vllm_fused_moe"}),
                   default_constants(Family::Moe), row);
  return std::exp(row.log_base);
}

// The residual of every layer: a wave over the tokens. Some rows ran a bad kernel.
double factor(const FusedMoe& op) { return 1.4 + 0.3 * std::sin(std::log2(double(op.tokens))); }

Dataset twenty_layers() {
  Dataset dataset;
  RandomStream random(9, "experts");
  for (const std::int64_t hidden : kHidden)
    for (const std::int64_t intermediate : kIntermediate)
      for (std::int64_t i = 0; i < 12; ++i)
        for (const std::int64_t ways : {1, 2, 4, 8}) {
          const FusedMoe op = layer(std::int64_t(1) << i, hidden, intermediate, ways);
          const double bad = random.uniform(0, 1) < 0.03 ? 5.0 : 1.0;
          dataset.add({Operator(op),
                       "h200_sxm",
                       "vllm",
                       "1.0",
                       "vllm_fused_moe",
                       Seconds(base_seconds(op) * factor(op) * bad * random.uniform(0.98, 1.02)),
                       1,
                       Layout::Warploom,
                       {}});
        }
  return dataset;
}

const std::vector<FamilyModel>& models() {
  static const std::vector<FamilyModel> trained = [] {
    TrainingOptions options;
    options.threads = 2;
    return train_predictor(twenty_layers(), catalog(), options).models;
  }();
  return trained;
}

TEST(NewLayers, ArePredictedFromWhatOtherLayersShare) {
  const Predictor predictor(models());
  double sum = 0;
  std::size_t inside = 0, count = 0;
  for (std::int64_t i = 0; i < 12; ++i)
    for (const std::int64_t ways : {1, 2, 4, 8}) {
      const FusedMoe op = layer(std::int64_t(1) << i, 5120, 1280, ways);
      const double truth = base_seconds(op) * factor(op);
      const LatencyEstimate estimate = predictor.estimate(op, h200());
      EXPECT_EQ(estimate.tier, Tier::Measured);
      EXPECT_TRUE(estimate.extrapolated);
      sum += std::abs(estimate.p50.value() / truth - 1);
      inside += std::size_t(estimate.p10.value() <= truth && truth <= estimate.p90.value());
      ++count;
    }
  EXPECT_LT(sum / double(count), 0.06);
  EXPECT_GE(inside, count * 6 / 10);
}

TEST(NewLayers, LeaveKnownLayersToTheirCell) {
  const Predictor predictor(models());
  const FusedMoe known = layer(64, 4096, 1536, 1);
  EXPECT_FALSE(predictor.estimate(known, h200()).extrapolated);
  const CellRecord& cell = models()[0].cells[0];
  EXPECT_EQ(cell.layers.size(), kHidden.size() * kIntermediate.size());
  EXPECT_TRUE(std::is_sorted(cell.layers.begin(), cell.layers.end()));
}

TEST(NewLayers, AnswerABatchLikeOneByOne) {
  const Predictor predictor(models());
  std::vector<Operator> operators;
  for (std::int64_t i = 0; i < 40; ++i)
    operators.push_back(layer(1 + 37 * i, i % 3 == 0 ? 4096 : 5120, 1536, 1));
  std::vector<LatencyEstimate> batch(operators.size());
  predictor.estimate_batch(operators, h200(), {}, batch);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const LatencyEstimate one = predictor.estimate(operators[i], h200());
    EXPECT_EQ(batch[i].p50, one.p50) << i;
    EXPECT_EQ(batch[i].p10, one.p10) << i;
    EXPECT_EQ(batch[i].extrapolated, one.extrapolated) << i;
  }
}

// What trees learned of one build says nothing of another that no GPU ran.
TEST(NewBuilds, AreLeftToTheirBase) {
  FamilyModel trusting = models()[0];  // of one architecture: nothing was there to set the share
  trusting.shrink_unknown = trusting.shrink_known = 1;
  const Predictor predictor({trusting});
  const GpuSpec& b200 = catalog().get("b200_sxm");
  const Operator op = layer(256, 4096, 1536, 2);
  const auto beyond_base = [&](const KernelContext& context) {
    OperatorFeatures row;
    compute_features(op, b200, ContextKernel(context), predictor.model(Family::Moe)->constants.at(0).values,
                     row);
    return predictor.estimate(op, b200, context).p50.value() / std::exp(row.log_base);
  };
  EXPECT_NEAR(beyond_base({"vllm", "1.0", "vllm_flashinfer_trtllm_moe"}), 1, 1e-6);
  EXPECT_GT(std::abs(beyond_base({"vllm", "1.0", "vllm_fused_moe"}) - 1), 0.02);
}

TEST(NewLayers, SurviveTheFile) {
  const std::string bytes = model_to_bytes(models()[0]);
  const FamilyModel again = model_from_bytes(bytes, "memory");
  EXPECT_EQ(model_to_bytes(again), bytes);
  const Operator op = layer(100, 5120, 1280, 2);
  EXPECT_EQ(Predictor({again}).estimate(op, h200()).p50, Predictor(models()).estimate(op, h200()).p50);
}

}  // namespace
}  // namespace warploom
