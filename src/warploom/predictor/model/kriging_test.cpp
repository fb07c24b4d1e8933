#include "warploom/predictor/model/kriging.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::size_t kFeatures = 2;

// Rows on a line of the first feature; the second never varies.
struct Line {
  std::vector<std::array<float, kFeatures>> features;
  std::vector<KrigingRow> rows;
  template <class Residual>
  Line(const Residual& residual, const KernelCode& code) {
    for (int i = 0; i < 24; ++i) features.push_back({float(i), 3.0F});
    for (int i = 0; i < 24; ++i) rows.push_back({features[std::size_t(i)].data(), code, residual(i)});
  }
};

FeatureRow at(double position) {
  FeatureRow row;
  row.add(position);
  row.add(3.0);
  return row;
}

TEST(Kriging, FollowsASmoothErrorBetweenItsRows) {
  const auto wave = [](double i) { return 0.3 * std::sin(i / 4); };
  const KernelCode code{1, 2, 0, 3};
  const Line line(wave, code);
  const Kriging kriging(fit_kriging(line.rows, kFeatures), "test");
  EXPECT_NEAR(kriging.predict(at(7.5), code), wave(7.5), 0.06);
  EXPECT_NEAR(kriging.predict(at(17.5), code), wave(17.5), 0.06);
}

TEST(Kriging, SaysMoreOfItsOwnKernelThanOfOthers) {
  const KernelCode code{1, 2, 0, 3};
  const Line line([](int) { return 0.4; }, code);
  const Kriging kriging(fit_kriging(line.rows, kFeatures), "test");
  const double own = kriging.predict(at(10), code), kind = kriging.predict(at(10), {5, 6, 0, 3});
  const double other = kriging.predict(at(10), {5, 6, 0, 4});
  EXPECT_NEAR(own, 0.4, 0.03);
  EXPECT_LT(kind, 0.9 * own);
  EXPECT_LT(other, 0.9 * kind);
  EXPECT_GE(other, 0);
}

TEST(Kriging, VersionsOfOneKernelDifferNearTheirRows) {
  const KernelCode old{1, 2, 0, 3}, fresh{1, 2, 1, 3};
  const Line slow([](int) { return 0.4; }, old), fast([](int) { return -0.2; }, fresh);
  std::vector<KrigingRow> rows = slow.rows;
  rows.insert(rows.end(), fast.rows.begin(), fast.rows.end());
  const Kriging kriging(fit_kriging(rows, kFeatures), "test");
  EXPECT_GT(kriging.predict(at(10), old), 0.25);
  EXPECT_LT(kriging.predict(at(10), fresh), -0.05);
  const double unknown = kriging.predict(at(10), {1, 2, 2, 3});
  EXPECT_LT(unknown, kriging.predict(at(10), old));
  EXPECT_GT(unknown, kriging.predict(at(10), fresh));
}

// Its rows cover the lower half alone; beyond, only donors tell how it goes on.
TEST(Kriging, FollowsADonorThatAgreesToSizesWithoutRows) {
  const auto wave = [](double i) { return 0.6 * std::cos(i / 3); };
  const KernelCode code{1, 2, 0, 3};
  std::vector<std::array<float, 2>> features;
  std::vector<std::array<float, 4>> donors;
  for (int i = 0; i < 24; ++i) {
    features.push_back({float(i), 3});
    donors.emplace_back();
    donors.back().fill(float(wave(i)));
  }
  std::vector<KrigingRow> rows;
  for (int i = 0; i < 12; ++i)
    rows.push_back({features[std::size_t(i)].data(), code, wave(i), donors[std::size_t(i)]});
  const Kriging kriging(fit_kriging(rows, kFeatures), "test");
  EXPECT_TRUE(kriging.asks_donors());
  double with = 0, without = 0;
  for (int i = 16; i < 24; ++i) {
    with += std::abs(kriging.predict(at(i), code, donors[std::size_t(i)]) - wave(i));
    without += std::abs(kriging.predict(at(i), code) - wave(i));
  }
  EXPECT_LT(with, 0.8 * without);
}

TEST(Kriging, AnOutlierHardlyCounts) {
  const KernelCode code{1, 2, 0, 3};
  const Line line([](int i) { return i == 12 ? 3.0 : 0.1; }, code);
  const Kriging kriging(fit_kriging(line.rows, kFeatures), "test");
  EXPECT_NEAR(kriging.predict(at(12), code), 0.1, 0.1);
}

TEST(Kriging, SaysNothingWithoutRowsAndRefusesDamage) {
  EXPECT_EQ(Kriging().predict(at(1), {}), 0);
  const Line line([](int) { return 0.1; }, {});
  const std::string bytes = fit_kriging(line.rows, kFeatures);
  EXPECT_THROW(Kriging(bytes.substr(0, bytes.size() / 2), "test"), InvalidInput);
}

}  // namespace
}  // namespace warploom
