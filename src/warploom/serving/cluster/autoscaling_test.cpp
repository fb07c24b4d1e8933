#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/serving/cluster/scaling_policy.h"

namespace warploom {
namespace {

AutoscalingConfig config_of(ScalingPolicy policy) {
  return {.max_instances = 20, .min_instances = 1, .policy = policy};
}

TEST(Autoscaling, HpaWantsTheMetricOverItsTarget) {
  const auto hpa = scaling_policy(config_of(ScalingPolicy::Hpa));  // 4 waiting requests each
  EXPECT_EQ(hpa->wanted({.instances = 2, .waiting = 8}), 2);
  EXPECT_EQ(hpa->wanted({.instances = 10, .waiting = 43}), 10);  // within a tenth of 40
  EXPECT_EQ(hpa->wanted({.instances = 10, .waiting = 45}), 12);  // 11.25, rounded up
}

TEST(Autoscaling, HpaGrowsByFourOrByTwiceAtALook) {
  const auto hpa = scaling_policy(config_of(ScalingPolicy::Hpa));
  EXPECT_EQ(hpa->wanted({.instances = 1, .waiting = 1000}), 5);
  EXPECT_EQ(hpa->wanted({.instances = 5, .waiting = 1000}), 10);
  EXPECT_EQ(hpa->wanted({.instances = 10, .waiting = 1000}), 20);
  EXPECT_EQ(hpa->wanted({.instances = 20, .waiting = 1000}), 20);  // no more than may be
}

TEST(Autoscaling, HpaKeepsTheHighestWishOfItsWindow) {
  const auto hpa = scaling_policy(config_of(ScalingPolicy::Hpa));
  EXPECT_EQ(hpa->wanted({.instances = 6, .waiting = 40, .at = Seconds(0)}), 10);
  EXPECT_EQ(hpa->wanted({.instances = 10, .waiting = 20, .at = Seconds(150)}), 10);
  EXPECT_EQ(hpa->wanted({.instances = 10, .waiting = 8, .at = Seconds(300)}), 10);
  EXPECT_EQ(hpa->wanted({.instances = 10, .waiting = 8, .at = Seconds(301)}), 5);  // as was wished at 150 s
  EXPECT_EQ(hpa->wanted({.instances = 5, .waiting = 0, .at = Seconds(460)}), 2);
}

TEST(Autoscaling, HpaMeasuresWhatItIsTold) {
  AutoscalingConfig config = config_of(ScalingPolicy::Hpa);
  config.metric = ScalingMetric::KvUse;
  config.target = 0.8;
  EXPECT_EQ(scaling_policy(config)->wanted({.instances = 2, .waiting = 90, .kv_use = 1.9}), 3);
  config.metric = ScalingMetric::Live;
  config.target = 10;
  EXPECT_EQ(scaling_policy(config)->wanted({.instances = 2, .waiting = 5, .running = 26}), 4);
}

TEST(Autoscaling, ThePlannerByLoadMovesByOneAndWaitsForWhatStarts) {
  const auto planner = scaling_policy(config_of(ScalingPolicy::PlannerLoad));
  EXPECT_EQ(planner->wanted({.instances = 3, .most_kv_load = 1.01}), 4);
  EXPECT_EQ(planner->wanted({.instances = 4, .starting = 1, .most_kv_load = 1.5}), 4);
  EXPECT_EQ(planner->wanted({.instances = 4, .most_kv_load = 0.7}), 4);
  EXPECT_EQ(planner->wanted({.instances = 4, .most_kv_load = 0.59}), 3);
  EXPECT_EQ(planner->wanted({.instances = 1, .most_kv_load = 0}), 1);
}

TEST(Autoscaling, ThePlannerByThroughputServesWhatCame) {
  AutoscalingConfig config = config_of(ScalingPolicy::PlannerSla);
  EXPECT_THROW(check_autoscaling(config), InvalidInput);  // no rate
  config.instance_rate = 2;
  config.interval = Seconds(60);
  const auto planner = scaling_policy(config);
  EXPECT_EQ(planner->wanted({.instances = 3, .arrived = 601}), 6);  // 10.02 a second
  EXPECT_EQ(planner->wanted({.instances = 6, .arrived = 0}), 1);
}

TEST(Autoscaling, RefusesWhatItsPolicyDoesNotRead) {
  AutoscalingConfig config = config_of(ScalingPolicy::PlannerLoad);
  config.target = 9;
  EXPECT_THROW(check_autoscaling(config), InvalidInput);
  config = config_of(ScalingPolicy::Hpa);
  config.queue_depth = 3;
  EXPECT_THROW(check_autoscaling(config), InvalidInput);
  config = config_of(ScalingPolicy::PlannerLoad);
  config.down_load = 2;
  EXPECT_THROW(check_autoscaling(config), InvalidInput);
}

TEST(Autoscaling, LimitsAreSaidInMilliseconds) {
  const AutoscalingConfig config;
  const auto said = [&](std::string_view name) {
    return std::get<double>(fields_of<AutoscalingConfig>().find(name)->get(&config));
  };
  EXPECT_NEAR(said("scale_ttft_ms"), 500, 1e-9);
  EXPECT_NEAR(said("scale_itl_ms"), 50, 1e-9);
}

}  // namespace
}  // namespace warploom
