#include "warploom/kernels/base_constants.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warploom {
namespace {

// No constant of physics without a name, a unit and where it comes from.
TEST(BaseConstants, EveryConstantHasNameUnitSourceAndARoomToBeFittedIn) {
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    EXPECT_FALSE(base_constants(family).empty()) << name;
    EXPECT_LE(base_constants(family).size(), kMaxConstants) << name;
    for (const ConstantSpec& spec : base_constants(family)) {
      EXPECT_FALSE(spec.name.empty()) << name;
      EXPECT_FALSE(spec.unit.empty()) << name << " " << spec.name;
      EXPECT_FALSE(spec.source.empty()) << name << " " << spec.name;
      EXPECT_GT(spec.low, 0) << name << " " << spec.name;
      EXPECT_LE(spec.low, spec.value) << name << " " << spec.name;
      EXPECT_GE(spec.high, spec.value) << name << " " << spec.name;
      EXPECT_GT(spec.sigma, 0) << name << " " << spec.name;
    }
  }
}

TEST(BaseConstants, UnitsAreOfAShortList) {
  const std::set<std::string> known{"1",       "s",          "clocks",     "rows",  "nJ",
                                    "B/clock", "B/clock/SM", "FLOP/clock", "1/year"};
  for (const auto& [family, name] : EnumNames<Family>::kNames)
    for (const ConstantSpec& spec : base_constants(family))
      EXPECT_TRUE(known.contains(std::string(spec.unit))) << spec.name << ": " << spec.unit;
}

}  // namespace
}  // namespace warploom
