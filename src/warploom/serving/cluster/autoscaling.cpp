#include "warploom/serving/cluster/autoscaling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <vector>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// A set of policies.
template <class... Policies>
constexpr unsigned set_of(Policies... policies) {
  return ((1U << unsigned(policies)) | ...);
}

// Fields, and the policies that read them.
struct PolicyField {
  std::string_view name;
  unsigned policies;
};
constexpr std::array kPolicyFields{
    PolicyField{"scale_queue_depth", set_of(ScalingPolicy::QueueDepth)},
    PolicyField{"scale_metric", set_of(ScalingPolicy::Hpa)},
    PolicyField{"scale_target", set_of(ScalingPolicy::Hpa)},
    PolicyField{"scale_tolerance", set_of(ScalingPolicy::Hpa)},
    PolicyField{"scale_down_window_s", set_of(ScalingPolicy::Hpa)},
    PolicyField{"scale_up_load", set_of(ScalingPolicy::PlannerLoad)},
    PolicyField{"scale_down_load", set_of(ScalingPolicy::PlannerLoad)},
    PolicyField{"scale_instance_rate", set_of(ScalingPolicy::PlannerSla, ScalingPolicy::PlannerLatency)},
    PolicyField{"scale_ttft_ms", set_of(ScalingPolicy::PlannerLatency)},
    PolicyField{"scale_itl_ms", set_of(ScalingPolicy::PlannerLatency)},
    PolicyField{"scale_down_sensitivity", set_of(ScalingPolicy::PlannerLatency)}};

std::string names_of(unsigned policies, std::string_view between) {
  std::vector<std::string_view> names;
  for (unsigned i = 0; policies >> i != 0; ++i)
    if (policies >> i & 1U) names.push_back(name_of(ScalingPolicy(i)));
  return fmt::format("{}", fmt::join(names, between));
}

}  // namespace

FieldTable AutoscalingConfig::describe() {
  using A = AutoscalingConfig;
  const auto seconds = [](std::string_view doc) {
    return FieldOptions{.unit = "s", .doc = doc, .min = 0.001, .max = 1e6};
  };
  const auto limit = [](std::string_view doc) {
    return FieldOptions{.unit = "ms", .doc = doc, .min = 0.001, .max = 1e9, .scale = 1e-3};
  };
  const auto share = [](std::string_view doc) { return FieldOptions{.doc = doc, .min = 0, .max = 1e3}; };
  return FieldList<A>("autoscaling")
      .add("max_instances", &A::max_instances,
           {.doc = "most instances of a pool; 0: its size stays", .min = 0})
      .add("min_instances", &A::min_instances, {.doc = "fewest instances of a pool", .min = 1})
      .add("scaling_policy", &A::policy, {.doc = "how many instances a pool wants"})
      .add("scale_queue_depth", &A::queue_depth,
           {.doc = "waiting requests of an instance above which another starts", .min = 0, .max = 1e6})
      .add("scale_metric", &A::metric, {.doc = "what an instance is measured by (hpa)"})
      .add("scale_target", &A::target,
           {.doc = "of that, what each instance should have (hpa)", .min = 1e-6, .max = 1e9})
      .add("scale_tolerance", &A::tolerance, share("of the target within which nothing changes (hpa)"))
      .add("scale_down_window_s", &A::down_window,
           {.unit = "s",
            .doc = "over which the highest wish counts before instances go (hpa)",
            .min = 0,
            .max = 1e6})
      .add("scale_up_load", &A::up_load,
           share("of a cache, what waits included, above which one more starts (planner_load)"))
      .add("scale_down_load", &A::down_load, share("of every cache below which one goes (planner_load)"))
      .add("scale_instance_rate", &A::instance_rate,
           {.unit = "requests/s",
            .doc = "what an instance serves within its limits (planner_sla; planner_latency: a floor)",
            .min = 0,
            .max = 1e9})
      .add("scale_ttft_ms", &A::ttft, limit("TTFT above which one more starts (planner_latency)"))
      .add("scale_itl_ms", &A::itl, limit("time of a token above which one more starts (planner_latency)"))
      .add("scale_down_sensitivity", &A::down_sensitivity,
           {.doc = "of the limits, within which an instance less must stay (planner_latency)",
            .min = 0,
            .max = 1})
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
  const AutoscalingConfig usual;
  for (const PolicyField& each : kPolicyFields) {
    const Field* field = fields_of<AutoscalingConfig>().find(each.name);
    if (each.policies & set_of(config.policy)) continue;
    if (field->get(&config) == field->get(&usual)) continue;
    throw InvalidInput(fmt::format("{}: is read by the policy `{}` alone, expected `scaling_policy` {}",
                                   each.name, names_of(each.policies, "` or `"),
                                   names_of(each.policies, " or ")));
  }
  if (config.policy == ScalingPolicy::PlannerSla && config.instance_rate == 0)
    throw InvalidInput(
        "scale_instance_rate: is missing, expected the requests/s that an instance serves within its limits "
        "(`warploom plan` says them)");
  if (config.down_load > config.up_load)
    throw InvalidInput(fmt::format("scale_down_load is {}, expected at most `scale_up_load`, which is {}",
                                   config.down_load, config.up_load));
}

}  // namespace warploom
