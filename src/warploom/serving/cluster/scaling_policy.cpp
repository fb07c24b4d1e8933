#include "warploom/serving/cluster/scaling_policy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "warploom/serving/cluster/latency_planner.h"

namespace warploom {
namespace {

class QueueDepthPolicy final : public AutoscalingPolicy {
 public:
  explicit QueueDepthPolicy(const AutoscalingConfig& config) : config_(config) {}

  std::int64_t wanted(const PoolLoad& load) override {
    const auto instances = double(load.instances);
    std::int64_t wanted = load.instances;
    if (double(load.waiting) > config_.queue_depth * instances) {
      ++wanted;
    } else if (load.waiting == 0 && load.instances > 1 &&
               double(load.running) / instances < config_.queue_depth * (instances - 1)) {
      --wanted;
    }
    return std::clamp(wanted, config_.min_instances, config_.max_instances);
  }

 private:
  AutoscalingConfig config_;
};

class HpaPolicy final : public AutoscalingPolicy {
 public:
  explicit HpaPolicy(const AutoscalingConfig& config) : config_(config) {}

  std::int64_t wanted(const PoolLoad& load) override {
    const std::int64_t wish = std::clamp(unsettled(load), config_.min_instances, config_.max_instances);
    wishes_.push_back({load.at, wish});
    std::erase_if(wishes_, [&](const Wish& each) { return load.at - each.at > config_.down_window; });
    if (wish >= load.instances) {
      constexpr std::int64_t kMostPods = 4, kMostTimes = 2;
      return std::min(wish, std::max(load.instances + kMostPods, load.instances * kMostTimes));
    }
    const auto highest = std::max_element(wishes_.begin(), wishes_.end(),
                                          [](const Wish& a, const Wish& b) { return a.wanted < b.wanted; });
    return std::min(load.instances, highest->wanted);
  }

 private:
  struct Wish {
    Seconds at;
    std::int64_t wanted = 0;
  };
  std::int64_t unsettled(const PoolLoad& load) const {
    const double sum = config_.metric == ScalingMetric::KvUse     ? load.kv_use
                       : config_.metric == ScalingMetric::Waiting ? double(load.waiting)
                                                                  : double(load.waiting + load.running);
    const double ratio = sum / (config_.target * double(std::max<std::int64_t>(1, load.instances)));
    if (std::abs(ratio - 1) <= config_.tolerance) return load.instances;
    return std::int64_t(std::ceil(std::min(sum / config_.target, double(config_.max_instances))));
  }

  AutoscalingConfig config_;
  std::vector<Wish> wishes_;
};

class PlannerLoadPolicy final : public AutoscalingPolicy {
 public:
  explicit PlannerLoadPolicy(const AutoscalingConfig& config) : config_(config) {}

  std::int64_t wanted(const PoolLoad& load) override {
    std::int64_t wanted = load.instances;
    if (load.starting == 0 && load.most_kv_load > config_.up_load)
      ++wanted;
    else if (load.starting == 0 && load.most_kv_load < config_.down_load)
      --wanted;
    return std::clamp(wanted, config_.min_instances, config_.max_instances);
  }

 private:
  AutoscalingConfig config_;
};

class PlannerSlaPolicy final : public AutoscalingPolicy {
 public:
  explicit PlannerSlaPolicy(const AutoscalingConfig& config) : config_(config) {}

  std::int64_t wanted(const PoolLoad& load) override {
    const double rate = double(load.arrived) / config_.interval.value();
    const double needed = std::min(std::ceil(rate / config_.instance_rate), double(config_.max_instances));
    return std::clamp(std::int64_t(needed), config_.min_instances, config_.max_instances);
  }

 private:
  AutoscalingConfig config_;
};

}  // namespace

std::unique_ptr<AutoscalingPolicy> scaling_policy(const AutoscalingConfig& config) {
  switch (config.policy) {
    case ScalingPolicy::QueueDepth:
      return std::make_unique<QueueDepthPolicy>(config);
    case ScalingPolicy::Hpa:
      return std::make_unique<HpaPolicy>(config);
    case ScalingPolicy::PlannerLoad:
      return std::make_unique<PlannerLoadPolicy>(config);
    case ScalingPolicy::PlannerSla:
      return std::make_unique<PlannerSlaPolicy>(config);
    case ScalingPolicy::PlannerLatency:
      return latency_planner(config);
  }
  return nullptr;
}

}  // namespace warploom
