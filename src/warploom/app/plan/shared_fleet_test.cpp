#include "warploom/app/plan/shared_fleet.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// A plan with two ways: few instances of two GPUs on H200, or more of them on H100.
PlanPoint shared_point(std::int64_t tensor, std::int64_t instances, double dollars) {
  PlanPoint point;
  point.configuration.shape.tensor_parallel = tensor;
  point.fleet = {instances, 0};
  point.gpus = tensor * instances;
  point.rented = {point.gpus, 0, 0};
  point.dollars_per_hour = dollars;
  point.confident = true;
  return point;
}

PlanResult shared_plan(double scale) {
  PlanResult plan;
  plan.priced = true;
  plan.search.points = {shared_point(2, 2, 12 * scale), shared_point(4, 2, 20 * scale)};
  plan.labels = {{.gpu = "h200_sxm"}, {.gpu = "h100_sxm"}};
  plan.search.best = 0;
  return plan;
}

TEST(SharedFleet, TakesTheBestOfEachWhereThereIsRoom) {
  const SharedFleet fleet =
      share_fleet({.gpus = {"H200=8", "H100-SXM=8"}}, {shared_plan(1), shared_plan(2)}, false);
  EXPECT_EQ(fleet.chosen, (std::vector<std::size_t>{0, 0}));
  EXPECT_DOUBLE_EQ(fleet.dollars_per_hour, 36);
  ASSERT_EQ(fleet.use.size(), 1U);
  EXPECT_EQ(fleet.use[0].gpus, 8);
  EXPECT_EQ(fleet.use[0].nodes, 1) << "four instances of two GPUs lie in one node";
}

TEST(SharedFleet, WhereOneKindIsShortTheCheapestTogetherWins) {
  const SharedFleet fleet =
      share_fleet({.gpus = {"H200=4", "H100-SXM=8"}}, {shared_plan(1), shared_plan(2)}, false);
  EXPECT_EQ(fleet.chosen, (std::vector<std::size_t>{1, 0})) << "20 + 24 are less than 12 + 40";
  EXPECT_DOUBLE_EQ(fleet.dollars_per_hour, 44);
  EXPECT_TRUE(fleet.all_seen);
}

TEST(SharedFleet, InstancesMustPackIntoNodes) {
  PlanResult wide;
  wide.priced = true;
  wide.search.points = {shared_point(6, 2, 10)};
  wide.labels = {{.gpu = "h100_sxm"}};
  const SharedFleet two = share_fleet({.gpus = {"H100-SXM=16"}}, {wide}, false);
  EXPECT_EQ(two.use.at(0).nodes, 2);
  PlanResult three = wide;
  three.search.points = {shared_point(5, 3, 10)};
  EXPECT_TRUE(share_fleet({.gpus = {"H100-SXM=16"}}, {three}, false).chosen.empty())
      << "15 GPUs, but three instances of five want three nodes";
  EXPECT_TRUE(share_fleet({.gpus = {"H100-SXM=16"}}, {wide, wide}, false).chosen.empty());
}

TEST(SharedFleet, PaysANodeThatTwoModelsShareOnce) {
  PlanResult plan;
  plan.priced = true;
  plan.search.points = {shared_point(4, 1, 24)};
  plan.search.points[0].rented = {8, 0, 1};
  plan.labels = {{.gpu = "h100_sxm"}};
  plan.prices = {{.gpu = "h100_sxm", .usd_per_gpu_hour = 3}};
  const SharedFleet fleet = share_fleet({}, {plan, plan}, true);
  EXPECT_DOUBLE_EQ(fleet.dollars_per_hour, 24);
  EXPECT_EQ(fleet.use.at(0).nodes, 1);
}

TEST(SharedFleet, KeepsToPowerAndRacks) {
  const std::vector<PlanResult> plans{shared_plan(1), shared_plan(1)};
  EXPECT_FALSE(share_fleet({.max_power_kw = 10.2}, plans, false).chosen.empty());
  EXPECT_TRUE(share_fleet({.max_power_kw = 10}, plans, false).chosen.empty());
  EXPECT_EQ(share_fleet({.max_racks = 1, .rack_power_kw = 12}, plans, false).use.at(0).racks, 1);
  EXPECT_THROW(share_fleet({.max_racks = 1}, plans, false), InvalidInput);
  EXPECT_THROW(share_fleet({.gpus = {"H100-SXM"}}, plans, false), InvalidInput);
  EXPECT_THROW(share_fleet({.gpus = {"H100-SXM=0"}}, plans, false), InvalidInput);
  EXPECT_THROW(share_fleet({.gpus = {"H1000=8"}}, plans, false), NotFound);
}

}  // namespace
}  // namespace warploom
