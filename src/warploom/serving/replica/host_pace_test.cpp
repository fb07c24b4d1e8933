#include "warploom/serving/replica/host_pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "warploom/serving/host/host_profile.h"

namespace warploom {
namespace {

HostPaces known_paces() { return paces_of(load_host_profile(std::string(kDefaultHostProfile))); }

HostPace pace_of(double spread) { return HostPace(spread, known_paces()); }

SimDuration after(std::int64_t periods) {
  return SimDuration(periods * to_nanoseconds(known_paces().period));
}

TEST(HostPace, AHostThatDoesNotVaryHasOnePace) {
  EXPECT_EQ(pace_of(0).at(after(3)), 1);
  EXPECT_EQ(HostPace(0.3, {}).at(after(3)), 1) << "no levels";
}

// A run of ten seconds has about as many fast and slow stretches as one of ten minutes.
TEST(HostPace, AnyStretchHasTheMeanAndTheSpreadOfTheWhole) {
  for (const std::int64_t first : {0, 17, 4000}) {
    const HostPace pace_of_host = pace_of(0.36);
    std::vector<double> paces;
    for (std::int64_t i = 0; i < 67; ++i) paces.push_back(pace_of_host.at(after(first + i)));
    double sum = 0, logs = 0, squares = 0;
    for (const double pace : paces) {
      sum += pace / double(paces.size());
      logs += std::log(pace) / double(paces.size());
      squares += std::log(pace) * std::log(pace) / double(paces.size());
    }
    EXPECT_NEAR(sum, 1, 0.02);
    EXPECT_NEAR(std::sqrt(squares - logs * logs), 0.36, 0.02);
    // A host is slow most of the time, not as often slow as fast.
    std::sort(paces.begin(), paces.end());
    EXPECT_GT(paces[33], 0.97);
  }
}

TEST(HostPace, ARunOfAFewStepsIsThatOfTheMean) { EXPECT_NEAR(pace_of(0.36).at(SimDuration()), 1, 0.03); }

TEST(HostPace, IsKeptForItsPeriodAndNoLonger) {
  const HostPace pace = pace_of(0.3);
  EXPECT_EQ(pace.at(after(5)), pace.at(after(5) + SimDuration(after(1).nanoseconds() / 2)));
  EXPECT_NE(pace.at(after(5)), pace.at(after(6)));
}

TEST(HostPace, TheGpusOwnPausesStay) {
  const HostStep step = at_pace({.before = milliseconds(1),
                                 .finish = milliseconds(2),
                                 .gap = milliseconds(3),
                                 .pause = milliseconds(4)},
                                2);
  EXPECT_EQ(step.before, milliseconds(2));
  EXPECT_EQ(step.finish, milliseconds(4));
  EXPECT_EQ(step.gap, milliseconds(3));
  EXPECT_EQ(step.pause, milliseconds(4));
}

}  // namespace
}  // namespace warploom
