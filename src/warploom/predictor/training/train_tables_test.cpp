#include "warploom/predictor/training/train_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/random.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/tables/table_file.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

// A grid of GEMMs at the structural base times a factor that the features do not show: a wave over the grid.
// Held-out shapes are `held_out_factor` slower.
Dataset grid_gemms(double held_out_factor = 1) {
  Dataset dataset;
  RandomStream noise(5, "noise");
  for (std::int64_t i = 0; i <= 12; ++i)
    for (std::int64_t n = 1024; n <= 8192; n += 1024)
      for (std::int64_t k = 1024; k <= 8192; k += 1024)
        for (const MatmulScheme scheme : {MatmulScheme::Bf16, MatmulScheme::Fp16}) {
          Gemm gemm{.scheme = scheme, .m = std::int64_t(1) << i, .n = n, .k = k};
          if (scheme == MatmulScheme::Fp16 && i % 4 != 0) continue;
          OperatorFeatures row;
          compute_features(Operator(gemm), catalog().get("h100_sxm"), row);
          const double wave = 0.3 * std::sin(double(i) + double(n + 2 * k) / 3000);
          const bool tested = ShapeSplit{}.is_test(shape_hash(gemm));
          dataset.add({Operator(gemm),
                       "h100_sxm",
                       "vllm",
                       "0.9.0",
                       "linear",
                       Seconds(std::exp(row.log_base + wave + 0.5) * noise.uniform(0.99, 1.01) *
                               (tested ? held_out_factor : 1)),
                       1,
                       Layout::Warploom,
                       {}});
        }
  return dataset;
}

struct Trained {
  FamilyModel model;
  TablesResult tables;
};

Trained train_on(const Dataset& dataset) {
  TrainingOptions options;
  options.threads = 2;
  Trained trained{train_predictor(dataset, catalog(), options).models.at(0), {}};
  trained.tables = train_tables(dataset, catalog(), options, trained.model);
  return trained;
}

const Trained& trained() {
  static const Trained instance = train_on(grid_gemms());
  return instance;
}

std::string bytes_of(const FamilyTables& tables) { return tables_to_bytes(tables); }

FamilyTables read_back(std::string_view bytes) {
  return tables_from_bytes(bytes, trained().model, trained().tables.tables.model_hash, "test.wlt");
}

TEST(TrainTables, InterpolatesBetweenMeasuredNeighbours) {
  const TablesTraining& report = trained().tables.report;
  EXPECT_GT(report.answered, 0.95);
  EXPECT_LT(report.held_out.median, 0.03);
  EXPECT_GT(report.held_out.coverage, 0.5);
}

TEST(TrainTables, ReproducesMeasuredPoints) {
  const Predictor predictor({trained().model}, {trained().tables.tables});
  const Dataset dataset = grid_gemms();
  EXPECT_TRUE(predictor.has_tables(Family::Gemm));
  EXPECT_FALSE(predictor.has_tables(Family::Moe));
  std::size_t asked = 0, close = 0;
  for (std::size_t r = 0; r < dataset.size(); ++r) {
    // Those measured in one type alone, whose answer is their own residual.
    const auto m = std::get<Gemm>(dataset.op(r)).m;
    if (ShapeSplit{}.is_test(dataset.shape(r)) || (m != 2 && m != 32 && m != 128)) continue;
    ++asked;
    const LatencyEstimate estimate =
        predictor.estimate(dataset.op(r), catalog().get("h100_sxm"), dataset.context(r));
    close += std::size_t(std::abs(estimate.p50.value() / dataset.latency(r).value() - 1) < 2 * kResidualStep);
    EXPECT_EQ(estimate.tier, Tier::Measured);
    EXPECT_LE(estimate.p10.value(), estimate.p50.value());
    EXPECT_LE(estimate.p50.value(), estimate.p90.value());
  }
  EXPECT_GT(asked, 150U);
  EXPECT_EQ(close, asked);
}

TEST(TrainTables, KeepsHeldOutShapesOutOfTablesAndTrees) {
  const Trained altered = train_on(grid_gemms(3));
  const Dataset dataset = grid_gemms();
  const FamilyTables &a = trained().tables.tables, &b = altered.tables.tables;
  ASSERT_EQ(a.corrections.size(), b.corrections.size());
  for (std::size_t g = 0; g < a.corrections.size(); ++g) {
    EXPECT_EQ(a.corrections[g].trees, b.corrections[g].trees);
    EXPECT_EQ(a.corrections[g].weights, b.corrections[g].weights);
  }
  for (std::size_t c = 0; c < a.intervals.size(); ++c) EXPECT_EQ(a.intervals[c].high, b.intervals[c].high);
  std::size_t held_out = 0;
  for (std::size_t r = 0; r < dataset.size(); ++r) {
    const PointKey key(0, grid_point(dataset.op(r)));
    // bf16 and fp16 share a cell: a point that either holds out must not be there.
    const bool tested = ShapeSplit{}.is_test(dataset.shape(r));
    held_out += std::size_t(tested);
    if (tested) {
      EXPECT_FALSE(a.residuals.find(key));
    } else if (a.residuals.find(key)) {
      EXPECT_EQ(a.residuals.find(key), b.residuals.find(key));
    }
  }
  EXPECT_GT(held_out, 50U);
}

TEST(TableFile, GivesBackWhatWasWritten) {
  const std::string bytes = bytes_of(trained().tables.tables);
  EXPECT_EQ(bytes_of(read_back(bytes)), bytes);
}

TEST(TableFile, RefusesDamageOtherModelsAndNewerVersions) {
  const std::string bytes = bytes_of(trained().tables.tables);
  EXPECT_THROW(read_back("hello"), InvalidInput);
  EXPECT_THROW(read_back(std::string_view(bytes).substr(0, bytes.size() - 9)), InvalidInput);
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = char(damaged[bytes.size() / 2] ^ 1);
  EXPECT_THROW(read_back(damaged), InvalidInput);
  EXPECT_THROW(tables_from_bytes(bytes, trained().model, 1, "other.wlt"), InvalidInput);
  std::string newer = bytes;
  newer[8] = 9;
  try {
    read_back(newer);
    FAIL() << "expected Unsupported";
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("9.0"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("1.0"), std::string::npos);
  }
}

TEST(Predictor, ReadsTablesBesideItsFiles) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "warploom_predictor_tables_test";
  std::filesystem::remove_all(folder);
  write_model(trained().model, folder);
  EXPECT_FALSE(Predictor(folder).has_tables(Family::Gemm));
  write_tables(trained().tables.tables, folder);
  const Predictor predictor(folder), direct({trained().model}, {trained().tables.tables});
  EXPECT_TRUE(predictor.has_tables(Family::Gemm));
  const Operator between = Gemm{.m = 96, .n = 3072, .k = 2048};
  EXPECT_EQ(predictor.estimate(between, catalog().get("h100_sxm")).p50.value(),
            direct.estimate(between, catalog().get("h100_sxm")).p50.value());
  write_file_atomically(table_path(Family::Gemm, folder), "WLTABLES and nothing more than that");
  EXPECT_THROW(Predictor{folder}, Error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warploom
