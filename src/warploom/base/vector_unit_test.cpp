#include "warploom/base/vector_unit.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

int plain() { return 1; }
int avx2() { return 2; }
int avx512() { return 3; }

TEST(VectorVersions, GivesTheVersionOfTheUnit) {
  constexpr VectorVersions kVersions{plain, avx2, avx512};
  EXPECT_EQ(kVersions.on(VectorUnit::Plain)(), 1);
  EXPECT_EQ(kVersions.on(VectorUnit::Avx2)(), 2);
  EXPECT_EQ(kVersions.on(VectorUnit::Avx512)(), 3);
}

TEST(VectorUnit, TheBestOneIsThere) { EXPECT_TRUE(has_vector_unit(best_vector_unit())); }

}  // namespace
}  // namespace warploom
