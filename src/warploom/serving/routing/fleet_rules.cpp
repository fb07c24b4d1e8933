#include "warploom/serving/routing/fleet_rules.h"

namespace warploom {

FieldTable FleetRules::describe() {
  using R = FleetRules;
  const auto weight = [](std::string_view doc) { return FieldOptions{.doc = doc, .min = 0, .max = 1e6}; };
  return FieldList<R>("fleet_rules")
      .add("router_prefix_weight", &R::prefix_weight,
           weight("of the share of a prompt that a replica has cached"))
      .add("router_queue_weight", &R::queue_weight, weight("of how few requests wait at a replica"))
      .add("router_kv_weight", &R::kv_weight, weight("of how much of a replica's cache is free"))
      .add("router_signal_interval_s", &R::signal_interval,
           {.unit = "s",
            .doc = "time between two looks of the router at the load; 0: it sees every change",
            .min = 0,
            .max = 1e6})
      .add("max_queued_requests", &R::max_queued,
           {.doc = "waiting requests of an instance beyond which others are turned away; 0: any number",
            .min = 0,
            .max = 1e9})
      .add("request_timeout_s", &R::request_timeout,
           {.unit = "s", .doc = "after which a client leaves; 0: never", .min = 0, .max = 1e7})
      .add("front_ends", &R::front_ends,
           {.doc = "processes between clients and engines that share the work on prompts; 0: one an instance",
            .min = 0,
            .max = 1e6})
      .table();
}

}  // namespace warploom
