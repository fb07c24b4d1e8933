#include "warploom/predictor/training/train_small_cells.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/random.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/training/train_predictor.h"

namespace warploom {
namespace {

// Microseconds of a kernel whose time swings with the sizes in a way that no base tells.
double swings(std::int64_t m, std::int64_t n) {
  const double wave = std::sin(5 * std::log2(double(m))) * std::sin(4 * std::log2(double(n)));
  return (100 + 1e-2 * double(m * n) / 1024) * (1 + 0.4 * wave);
}

Gemm product(std::int64_t m, std::int64_t n) { return {.m = m, .n = n, .k = 1024}; }

void add(Dataset& dataset, const Gemm& op, const char* version, double microseconds) {
  dataset.add({Operator(op),
               "l40s",
               "vllm",
               version,
               "linear",
               Seconds(1e-6 * microseconds),
               1,
               Layout::Warploom,
               {}});
}

double unlike(std::int64_t m, std::int64_t n) { return 60 + 0.2 * double(m) + 1e-2 * double(n); }

// The older version at one shape in fifteen, 8 % slower than the newer or nothing like it; the newer
// everywhere.
Dataset versions(bool alike, bool with_newer) {
  Dataset dataset;
  RandomStream random(5, "versions");
  for (std::int64_t m = 4; m <= 400; m += 4)
    for (std::int64_t n = 256; n <= 12288; n += 256) {
      if (with_newer) add(dataset, product(m, n), "2.0", swings(m, n));
      if (random.uniform(0, 1) < 1.0 / 15)
        add(dataset, product(m, n), "1.0", alike ? 1.08 * swings(m, n) : unlike(m, n));
    }
  return dataset;
}

double mean_error_of_older(bool alike, bool with_newer) {
  TrainingOptions options;
  options.threads = 2;
  const Predictor predictor(train_predictor(versions(alike, with_newer), GpuCatalog(), options).models);
  const GpuCatalog catalog;
  double sum = 0, count = 0;
  for (std::int64_t m = 4; m <= 400; m += 12)
    for (std::int64_t n = 256; n <= 12288; n += 768) {
      const double truth = alike ? 1.08 * swings(m, n) : unlike(m, n);
      const LatencyEstimate estimate =
          predictor.estimate(product(m, n), catalog.get("l40s"), {"vllm", "1.0", "linear"});
      sum += std::abs(1e6 * estimate.p50.value() / truth - 1);
      ++count;
    }
  return sum / count;
}

TEST(SmallCells, LearnFromALikeCellWhatLiesBetweenTheirRows) {
  EXPECT_LT(mean_error_of_older(true, true), 0.7 * mean_error_of_older(true, false));
}

TEST(SmallCells, KeepToThemselvesWhereTheLikeCellIsUnlike) {
  EXPECT_LT(mean_error_of_older(false, true), 0.02);
}

}  // namespace
}  // namespace warploom
