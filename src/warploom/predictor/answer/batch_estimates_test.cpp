#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/training/train_predictor.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

Operator draw_operator(RandomStream& random, std::size_t kind) {
  const std::vector<RequestGroup> requests{{.count = random.integer(1, 64),
                                            .query_tokens = kind == 1 ? random.integer(1, 4000) : 1,
                                            .context_tokens = random.integer(0, 8000)}};
  const std::int64_t kv_heads = random.integer(1, 8);
  switch (kind) {
    case 0:
      return Gemm{
          .m = random.integer(1, 4096), .n = 64 * random.integer(1, 128), .k = 64 * random.integer(1, 128)};
    case 1:
      return AttentionPrefill{.heads = 4 * kv_heads, .kv_heads = kv_heads, .requests = requests};
    case 2:
      return AttentionDecode{.heads = 4 * kv_heads, .kv_heads = kv_heads, .requests = requests};
    case 3:
      return FusedMoe{.tokens = random.integer(1, 4096), .experts = 8 * random.integer(1, 16)};
    case 4:
      return Quantize{.rows = random.integer(1, 4096), .width = 128 * random.integer(1, 64)};
    case 5:
      return MlaDecode{.requests = requests};
    default:
      return RmsNorm{.tokens = random.integer(1, 4096), .width = 128 * random.integer(1, 64)};
  }
}

constexpr std::size_t kLearnedKinds = 6, kKinds = 7;

const Predictor& predictor() {
  static const Predictor instance = [] {
    Dataset dataset;
    RandomStream random(5, "operators");
    for (std::size_t i = 0; i < 1500; ++i) {
      const Operator op = draw_operator(random, i % kLearnedKinds);
      OperatorFeatures row;
      compute_features(op, catalog().get("h100_sxm"), row);
      const Seconds latency(std::exp(row.log_base) * random.uniform(1.5, 2.0));
      dataset.add({op, "h100_sxm", "vllm", "0.9.0", "any", latency, 1, Layout::Warploom, {}});
    }
    TrainingOptions options;
    options.threads = 2;
    return Predictor(train_predictor(dataset, catalog(), options).models);
  }();
  return instance;
}

void expect_equal(const LatencyEstimate& a, const LatencyEstimate& b) {
  EXPECT_EQ(a.p10.value(), b.p10.value());
  EXPECT_EQ(a.p50.value(), b.p50.value());
  EXPECT_EQ(a.p90.value(), b.p90.value());
  EXPECT_EQ(a.physical_bound.value(), b.physical_bound.value());
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.tier, b.tier);
  EXPECT_EQ(a.extrapolated, b.extrapolated);
}

void expect_batch_equals_single(const std::vector<Operator>& operators, const GpuSpec& gpu) {
  std::vector<LatencyEstimate> results(operators.size());
  predictor().estimate_batch(operators, gpu, {}, results);
  for (std::size_t i = 0; i < operators.size(); ++i)
    expect_equal(results[i], predictor().estimate(operators[i], gpu));
}

// A user's record may bear the name of a GPU that was learned from: what is kept of that one must not answer.
TEST(EstimateBatch, GivesARecordOfAnotherClockItsOwnAnswer) {
  RandomStream random(12, "record");
  const GpuSpec& learned = catalog().get("h100_sxm");
  GpuSpec slower = learned;
  slower.max_clock = slower.boost_clock = slower.base_clock;
  slower.memory_bandwidth = 0.5 * slower.memory_bandwidth;
  for (std::size_t kind = 0; kind < kLearnedKinds; ++kind) {
    std::vector<Operator> operators;
    for (std::size_t i = 0; i < 64; ++i) operators.push_back(draw_operator(random, kind));
    expect_batch_equals_single(operators, learned);
    expect_batch_equals_single(operators, slower);
    EXPECT_GT(predictor().estimate(operators[0], slower).p50,
              predictor().estimate(operators[0], learned).p50);
  }
}

TEST(EstimateBatch, GivesWhatEachOperatorGetsAlone) {
  RandomStream random(11, "batch");
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    for (const std::size_t count : {1, 3, 4, 64, 65, 200}) {
      std::vector<Operator> operators;
      for (std::size_t i = 0; i < count; ++i) operators.push_back(draw_operator(random, kind));
      expect_batch_equals_single(operators, catalog().get("h100_sxm"));
    }
}

TEST(EstimateBatch, SortsMixedOperators) {
  RandomStream random(12, "mixed batch");
  std::vector<Operator> operators;
  for (std::size_t i = 0; i < 1300; ++i)
    operators.push_back(draw_operator(random, std::size_t(random.integer(0, kKinds - 1))));
  expect_batch_equals_single(operators, catalog().get("h100_sxm"));
  expect_batch_equals_single(operators, catalog().get("l40s"));  // never measured
}

TEST(EstimateBatch, TakesNoneAndRefusesNonsense) {
  expect_batch_equals_single({}, catalog().get("h100_sxm"));
  const std::vector<Operator> operators{Gemm{}, Gemm{.m = -1}};
  std::vector<LatencyEstimate> results(2);
  EXPECT_THROW(predictor().estimate_batch(operators, catalog().get("h100_sxm"), {}, results), InvalidInput);
}

}  // namespace
}  // namespace warploom
