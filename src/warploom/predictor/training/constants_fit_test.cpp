#include "warploom/predictor/training/constants_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

struct Sample {
  std::vector<Operator> operators;
  std::vector<ConstantsFitRow> rows;
};

// Latencies of the base itself under `truth`, slower by a factor that the fit must not mistake for a
// constant.
Sample sample_of(const BaseConstants& truth) {
  Sample sample;
  RandomStream random(5, "constants");
  for (int i = 0; i < 400; ++i) {
    Gemm gemm;
    gemm.m = random.integer(1, 4096);
    gemm.n = 64 * random.integer(1, 128);
    gemm.k = 64 * random.integer(1, 128);
    sample.operators.push_back(gemm);
  }
  const GpuSpec& gpu = catalog().get("h100_sxm");
  for (const Operator& op : sample.operators) {
    OperatorFeatures row;
    compute_features(op, gpu, truth, row);
    sample.rows.push_back({&op, &gpu, row.log_base + 0.4, 0, 1.0});
  }
  return sample;
}

double spread(const Sample& sample, const BaseConstants& constants) {
  double sum = 0, squares = 0;
  for (const ConstantsFitRow& fit : sample.rows) {
    OperatorFeatures row;
    compute_features(*fit.op, *fit.gpu, constants, row);
    sum += fit.log_latency - row.log_base;
    squares += (fit.log_latency - row.log_base) * (fit.log_latency - row.log_base);
  }
  const double n = double(sample.rows.size());
  return std::sqrt(squares / n - sum / n * (sum / n));
}

TEST(ConstantsFit, FindsTheConstantsThatMadeTheData) {
  BaseConstants truth = default_constants(Family::Gemm);
  const auto specs = base_constants(Family::Gemm);
  ASSERT_FALSE(specs.empty());
  for (std::size_t i = 0; i < specs.size(); ++i)
    truth.values[i] = std::clamp(specs[i].value * (i % 2 == 0 ? 1.3 : 0.75), specs[i].low, specs[i].high);
  const Sample sample = sample_of(truth);
  const BaseConstants& start = default_constants(Family::Gemm);
  const ConstantsFitOptions weak{.most_steps = 20, .prior_rows = 0.05};
  const BaseConstants fitted = fit_constants(Family::Gemm, sample.rows, start, weak);
  EXPECT_LT(spread(sample, fitted), 0.5 * spread(sample, start));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_GE(fitted[i], specs[i].low * 0.999) << specs[i].name;
    EXPECT_LE(fitted[i], specs[i].high * 1.001) << specs[i].name;
  }
  EXPECT_EQ(fitted, fit_constants(Family::Gemm, sample.rows, start, weak));
}

TEST(ConstantsFit, KeepsThePriorWithoutRows) {
  const BaseConstants& start = default_constants(Family::Gemm);
  EXPECT_EQ(fit_constants(Family::Gemm, {}, start), start);
}

TEST(BaseConstantsTable, HoldsSaneEntriesOfEveryFamily) {
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const auto specs = base_constants(family);
    EXPECT_LE(specs.size(), kMaxConstants) << name;
    for (const ConstantSpec& spec : specs) {
      EXPECT_GT(spec.low, 0) << name << " " << spec.name;
      EXPECT_LE(spec.low, spec.value) << name << " " << spec.name;
      EXPECT_LE(spec.value, spec.high) << name << " " << spec.name;
      EXPECT_GT(spec.sigma, 0) << name << " " << spec.name;
    }
  }
}

}  // namespace
}  // namespace warploom
