#include "warploom/steps/release_range.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(ReleaseRange, HoldsReleasesWithTheirPatches) {
  const ReleaseRange one("0.24", "0.24", "here");
  for (const char* inside : {"0.24", "0.24.0", "0.24.1", "0.24.1rc1", "0.24.0.post2"})
    EXPECT_TRUE(one.holds(inside)) << inside;
  for (const char* outside : {"0.23.9", "0.14.0", "0.25.0", "0.240.0", "1.0", "0", "nightly", "", "0.x"})
    EXPECT_FALSE(one.holds(outside)) << outside;
}

TEST(ReleaseRange, HoldsWhatLiesBetweenItsEnds) {
  const ReleaseRange range("0.19.1", "0.24", "here");
  for (const char* inside : {"0.19.1", "0.19.2", "0.20.0", "0.24.3"})
    EXPECT_TRUE(range.holds(inside)) << inside;
  for (const char* outside : {"0.19.0", "0.19", "0.9.5", "0.33.0"})
    EXPECT_FALSE(range.holds(outside)) << outside;
  EXPECT_TRUE(ReleaseRange().holds("anything")) << "every release";
}

TEST(ReleaseRange, KnowsWhatItSharesWithAnother) {
  const ReleaseRange old("0.19", "0.24", "here"), later("0.24.2", "0.30", "here"),
      last("0.31", "0.33", "here");
  EXPECT_TRUE(old.overlaps(later));
  EXPECT_TRUE(later.overlaps(old));
  EXPECT_FALSE(old.overlaps(last));
  EXPECT_FALSE(last.overlaps(later));
  EXPECT_TRUE(ReleaseRange().overlaps(last));
}

TEST(ReleaseRange, RefusesWhatIsNoReleaseAndEndsInTheWrongOrder) {
  EXPECT_THROW(ReleaseRange("new", "0.24", "here"), InvalidInput);
  EXPECT_THROW(ReleaseRange("0.24", "0..1", "here"), InvalidInput);
  EXPECT_THROW(ReleaseRange("0.25", "0.24", "here"), InvalidInput);
}

}  // namespace
}  // namespace warploom
