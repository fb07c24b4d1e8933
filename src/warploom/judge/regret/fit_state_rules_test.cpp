#include "warploom/judge/regret/fit_state_rules.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

const std::filesystem::path kSource(WARPLOOM_SOURCE_DIR);

// data/tuner/state_rules.json is what the command makes of the kept measurements.
TEST(StateRules, AreWhatTheCommandFits) {
  const std::filesystem::path fixtures = kSource / "tests/fixtures/tuner/engine_kernels";
  const StateFit fit = fit_state_rules(fixtures);
  EXPECT_EQ(state_rules_json(fit, fixtures), read_json_file(kSource / "data/tuner/state_rules.json"));
  EXPECT_NEAR(state_rules().memory_reached, fit.rules.memory_reached, 1e-9);
  EXPECT_NEAR(state_rules().errors.tile, fit.rules.errors.tile, 1e-9);
}

// States of another width, which nothing was fitted on.
TEST(StateRules, HoldForStatesThatTheyWereNotFittedOn) {
  const StateFit fit = fit_state_rules(kSource / "tests/fixtures/tuner/engine_kernels");
  EXPECT_EQ(fit.unseen.states, 3U);
  EXPECT_GE(fit.unseen.geo_mean_share, 0.95);
  EXPECT_LE(fit.unseen.tile, fit.rules.errors.tile);
}

TEST(StateRules, RefuseTimesWithoutStates) {
  const ScratchFolder folder;
  EXPECT_THROW(fit_state_rules(folder.path()), IoError);
  folder.write("measured.json", R"({"gpu": "h200_sxm"})");
  folder.write("times.csv.gz", "family,subject,config,median_us\nlora,x,16x1,3\n");
  EXPECT_THROW(fit_state_rules(folder.path()), InvalidInput);
  folder.write("times.csv.gz", "family,subject,config,median_us\nstate_update,headdim=64,16x1,3\n");
  EXPECT_THROW(fit_state_rules(folder.path()), InvalidInput);
}

}  // namespace
}  // namespace warploom
