#include "warploom/planner/rent.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

RentPart priced_part(PriceKind kind, std::optional<double> share, double price) {
  return {.kind = kind, .share = share, .gpu_hour_price = {price}, .day_prices = {}, .node_gpus = {}};
}

Configuration of_two_gpus() {
  Configuration configuration;
  configuration.shape.tensor_parallel = 2;
  return configuration;
}

TEST(Rent, SharesAreOfInstancesRoundedUpAndTheLastTakesTheRest) {
  const std::vector<RentPart> parts{priced_part(PriceKind::Reserved, 0.5, 2),
                                    priced_part(PriceKind::OnDemand, 0.25, 3),
                                    priced_part(PriceKind::Spot, {}, 1)};
  const auto shares = rented_shares(parts, of_two_gpus(), {7, 0}, {}, {});
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[0].fleet, (Fleet{4, 0}));
  EXPECT_EQ(shares[1].fleet, (Fleet{2, 0}));
  EXPECT_EQ(shares[2].fleet, (Fleet{1, 0}));
  EXPECT_DOUBLE_EQ(shares[0].dollars, 4 * 2 * 2);
  EXPECT_DOUBLE_EQ(shares[1].dollars, 2 * 2 * 3);
  EXPECT_EQ(shares[2].rented.gpus(), 2);
}

RC_GTEST_PROP(Rent, EveryInstanceIsRentedOnceAndInTheOrderOfTheParts, ()) {
  const double first = *rc::gen::inRange(1, 100) / 200.0, second = *rc::gen::inRange(1, 100) / 200.0;
  const std::vector<RentPart> parts{priced_part(PriceKind::Reserved, first, 2),
                                    priced_part(PriceKind::OnDemand, second, 3),
                                    priced_part(PriceKind::Spot, {}, 1)};
  const auto instances = std::int64_t(*rc::gen::inRange(1, 200));
  std::int64_t sum = 0;
  for (const RentedShare& share : rented_shares(parts, of_two_gpus(), {instances, 0}, {}, {})) {
    RC_ASSERT(share.fleet.instances >= 0);
    sum += share.fleet.instances;
  }
  RC_ASSERT(sum == instances);
}

// Two instances all day, two more in a quarter of it: an hour that is held costs three, one reserved two.
std::vector<double> quarter_held() {
  std::vector<double> held(4 * kHoursOfDay, 1.0 / kHoursOfDay);
  for (std::size_t k = 2; k < 4; ++k)
    for (std::size_t hour = 6; hour < kHoursOfDay; ++hour) held[k * kHoursOfDay + hour] = 0;
  return held;
}

TEST(Rent, ABaseIsReservedAsFarAsThatIsCheapestWherePoolsScale) {
  const std::vector<RentPart> parts{priced_part(PriceKind::Reserved, {}, 2),
                                    priced_part(PriceKind::OnDemand, {}, 3)};
  const std::vector<double> held = quarter_held();
  const auto shares = rented_shares(parts, of_two_gpus(), {4, 0}, held, {});
  EXPECT_EQ(shares[0].fleet.instances, 2);
  EXPECT_DOUBLE_EQ(shares[0].dollars, 2 * 2 * 2) << "paid at any time";
  EXPECT_NEAR(shares[1].dollars, 2 * 2 * 3 * 0.25, 1e-12) << "paid while it is held";
  EXPECT_LE(least_rent_of(parts, of_two_gpus(), {4, 0}, 1), shares[0].dollars + shares[1].dollars);
}

TEST(Rent, PoolsThatScaleHoldWholeNodesWhileOneOfTheirInstancesIsHeld) {
  std::vector<RentPart> parts{priced_part(PriceKind::OnDemand, {}, 1)};
  const std::vector<double> held = quarter_held();
  EXPECT_NEAR(rented_shares(parts, of_two_gpus(), {4, 0}, held, {})[0].dollars, 2 * 2 + 2 * 2 * 0.25, 1e-12);
  parts[0].node_gpus = {4};  // two instances in a node
  EXPECT_NEAR(rented_shares(parts, of_two_gpus(), {4, 0}, held, {})[0].dollars, 4 + 4 * 0.25, 1e-12);
  parts[0].node_gpus = {8};
  const auto whole = rented_shares(parts, of_two_gpus(), {4, 0}, held, {});
  EXPECT_NEAR(whole[0].dollars, 8, 1e-12) << "one node, held all day";
  EXPECT_EQ(whole[0].rented, (RentedGpus{8, 0, 1}));
}

TEST(Rent, RefusesWhatIsNoRent) {
  for (const char* wrong : {"cheap", "spot=0", "spot=1.5", "spot=half"})
    EXPECT_THROW(rent_parts({wrong, "reserved"}, true), Error) << wrong;
  EXPECT_THROW(rent_parts({"spot=0.5", "spot"}, true), InvalidInput);
  EXPECT_THROW(rent_parts({"reserved=0.7", "spot=0.7"}, true), InvalidInput);
  EXPECT_THROW(rent_parts({"reserved=0.2", "spot=0.7"}, true), InvalidInput);
  EXPECT_THROW(rent_parts({"reserved", "spot"}, false), InvalidInput) << "nothing scales";
  EXPECT_EQ(rent_parts({"reserved", "spot"}, true).size(), 2U);
  EXPECT_EQ(rent_parts({"reserved=0.6", "on_demand=0.3", "spot"}, false).size(), 3U);
}

}  // namespace
}  // namespace warploom
