#include "warploom/judge/regret/fit_record_rules.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/json.h"

namespace warploom {
namespace {

std::filesystem::path fixtures() {
  return std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/tuner";
}

// It takes some seconds.
const RecordFit& fitted() {
  static const RecordFit fit = fit_record_rules(fixtures());
  return fit;
}

// data/tuner/record_rules.json is what the command makes of the kept measurements.
TEST(RecordRules, AreWhatTheCommandFits) {
  const RecordFit& fit = fitted();
  const std::filesystem::path source(WARPLOOM_SOURCE_DIR);
  EXPECT_EQ(record_rules_json(fit, fixtures()), read_json_file(source / "data/tuner/record_rules.json"));
  EXPECT_EQ(record_rules().block_scales.load_us, fit.rules.block_scales.load_us);
  EXPECT_EQ(record_rules().block_scales.tile_operations, fit.rules.block_scales.tile_operations);
  EXPECT_EQ(record_rules().block_products.tile, fit.rules.block_products.tile);
}

// An H200's shapes, which nothing was fitted on: 24 tell a share of 80 % to 8 points.
TEST(RecordRules, HoldOnAGpuThatTheyWereNotFittedOn) {
  const RecordFit& fit = fitted();
  EXPECT_EQ(fit.blocks_unseen.shapes, 24U);
  EXPECT_GE(fit.blocks_unseen.geo_mean_share, 0.965);
  EXPECT_NEAR(fit.blocks_unseen.inside, 0.8, 0.1);
  EXPECT_NEAR(fit.plain_unseen.inside, 0.8, 0.05);
}

}  // namespace
}  // namespace warploom
