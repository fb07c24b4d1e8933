#include "warploom/app/predict/onboarding_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {
namespace {

Json whole_file() {
  return {{"schema", "warploom_onboarding_fit"},
          {"version", 1},
          {"source", "a test"},
          {"noise", 0.03},
          {"rows_noise", 0.3},
          {"spread", {{"streaming", 0.1}, {"computing", 0.1}, {"rows", 0.5}}},
          {"carried",
           {{{"models", "alike"}, {"share", 0.5}, {"width", 0.02}},
            {{"models", "alike_another_scheme"}, {"share", 0.25}, {"width", 0.03}},
            {{"models", "unlike"}, {"share", 0}, {"width", 0.05}}}}};
}

MachineProfile onboarded() {
  MachineProfile profile;
  profile.kernels = {{KernelGroup::Streaming, 1.1, 1.08, 1.12}, {KernelGroup::Rows, 3, 2.8, 3.2}};
  return profile;
}

TEST(OnboardingFit, TheShippedOneIsWhole) {
  const OnboardingFit& fit = shipped_onboarding_fit();
  EXPECT_GT(fit.noise, 0);
  EXPECT_GT(fit.rows_noise, fit.noise);
  EXPECT_GT(fit.spread[std::size_t(KernelGroup::Rows)], fit.spread[std::size_t(KernelGroup::Streaming)]);
  EXPECT_GT(fit.carried[std::size_t(Kinship::Alike)].share, fit.carried[std::size_t(Kinship::Unlike)].share);
}

TEST(OnboardingFit, RefusesWhatIsMissingOrOutOfRange) {
  EXPECT_NO_THROW(parse_onboarding_fit(whole_file(), "file"));
  for (const char* key : {"noise", "rows_noise", "spread", "carried"}) {
    Json file = whole_file();
    file.erase(key);
    EXPECT_THROW(parse_onboarding_fit(file, "file"), InvalidInput) << key;
  }
  Json file = whole_file();
  file["spread"]["rows"] = 0;
  EXPECT_THROW(parse_onboarding_fit(file, "file"), InvalidInput);
  file = whole_file();
  file["carried"][2]["share"] = 1.5;
  EXPECT_THROW(parse_onboarding_fit(file, "file"), InvalidInput);
  file["carried"].erase(2);
  EXPECT_THROW(parse_onboarding_fit(file, "file"), InvalidInput);
  file = whole_file();
  file["version"] = 2;
  EXPECT_THROW(parse_onboarding_fit(file, "file"), Unsupported);
}

TEST(OnboardingFit, AnAlikeModelHasAPartOfTheFactors) {
  const OnboardingFit fit = parse_onboarding_fit(whole_file(), "file");
  const MachineProfile same = for_another_model(onboarded(), Kinship::Alike, fit);
  const KernelScale& streaming = same.kernels[0];
  EXPECT_NEAR(streaming.factor, std::sqrt(1.1), 1e-9);
  EXPECT_LT(streaming.low, 1) << "none of it may be the card's";
  EXPECT_GT(streaming.high, 1.1) << "or all";
  EXPECT_NEAR(same.kernels[1].factor, std::sqrt(3.0), 1e-9);
  const MachineProfile other = for_another_model(onboarded(), Kinship::AlikeAnotherScheme, fit);
  EXPECT_NEAR(other.kernels[0].factor, std::pow(1.1, 0.25), 1e-9);
  EXPECT_EQ(other.kernels[1].factor, 1) << "rows are other kernels there";
  EXPECT_LT(other.kernels[1].low, 1);
}

TEST(OnboardingFit, BesideExpertsAFactorSaysHowMuchKernelsMayErr) {
  const OnboardingFit fit = parse_onboarding_fit(whole_file(), "file");
  const KernelScale scale = for_another_model(onboarded(), Kinship::Unlike, fit).kernels[0];
  EXPECT_EQ(scale.factor, 1);
  EXPECT_NEAR(std::log(scale.high), std::hypot(0.05, std::log(1.1)), 1e-9);
  EXPECT_NEAR(scale.low * scale.high, 1, 1e-9);
}

}  // namespace
}  // namespace warploom
