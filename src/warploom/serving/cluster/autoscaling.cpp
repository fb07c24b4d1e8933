#include "warploom/serving/cluster/autoscaling.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"

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

}  // namespace

FieldTable AutoscalingConfig::describe() {
  using A = AutoscalingConfig;
  const auto seconds = [](std::string_view doc) {
    return FieldOptions{.unit = "s", .doc = doc, .min = 0.001, .max = 1e6};
  };
  return FieldList<A>("autoscaling")
      .add("max_instances", &A::max_instances,
           {.doc = "most instances of a pool; 0: its size stays", .min = 0})
      .add("min_instances", &A::min_instances, {.doc = "fewest instances of a pool", .min = 1})
      .add("scale_queue_depth", &A::queue_depth,
           {.doc = "waiting requests of an instance above which another starts", .min = 0, .max = 1e6})
      .add("scale_interval_s", &A::interval, seconds("time between two looks at the load"))
      .add("instance_startup_s", &A::startup, seconds("from the decision to the first request served"))
      .table();
}

void check_autoscaling(const AutoscalingConfig& config) {
  if (!config.on()) return;
  check(config, "autoscaling");
  if (config.min_instances > config.max_instances) {
    throw InvalidInput(
        fmt::format("autoscaling: min_instances is {}, expected at most max_instances, which is {}",
                    config.min_instances, config.max_instances));
  }
}

std::unique_ptr<AutoscalingPolicy> queue_depth_policy(const AutoscalingConfig& config) {
  return std::make_unique<QueueDepthPolicy>(config);
}

}  // namespace warploom
