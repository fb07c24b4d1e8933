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
      .add("router_cold_weight", &R::cold_weight,
           weight("of how long a replica has had no prompt of which nothing was cached; llm-d: 2"))
      .add("router_overlap_credit", &R::overlap_credit,
           {.doc = "blocks of a prompt that a cached block saves (kv_cost)", .min = 0, .max = 1})
      .add("router_prefill_scale", &R::prefill_scale,
           {.doc = "cost of a block of a prompt over one that decodes (kv_cost)", .min = 0, .max = 1e6})
      .add("router_temperature", &R::temperature,
           {.doc = "of the draw among costs; 0: the least (kv_cost)", .min = 0, .max = 1e6})
      .add("router_cache_threshold", &R::cache_threshold,
           {.doc = "share of a prompt above which its prefix is followed (cache_aware)", .min = 0, .max = 1})
      .add("router_balance_abs", &R::balance_abs,
           {.doc = "spread of live requests above which load alone counts (cache_aware)",
            .min = 0,
            .max = 1e9})
      .add("router_balance_rel", &R::balance_rel,
           {.doc = "the same as a factor; both must be exceeded (cache_aware)", .min = 1, .max = 1e6})
      .add("router_event_delay_s", &R::event_delay,
           {.unit = "s",
            .doc = "after which the router knows what an engine has cached",
            .min = 0,
            .max = 1e6})
      .add("router_remembers_routed", &R::remembers_routed,
           {.doc = "the router knows what it sent where, not what engines have cached"})
      .add("router_memory_s", &R::routed_memory,
           {.unit = "s", .doc = "after which it forgets that; 0: never", .min = 0, .max = 1e7})
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
