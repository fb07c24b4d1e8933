// The fields of what `plan` is asked.
#include "warploom/app/plan/plan_request.h"
#include "warploom/base/request_fields.h"

namespace warploom {
namespace {

void add_what_is_bought(RequestFields<PlanRequest>& fields) {
  using R = PlanRequest;
  fields
      .add("gpu_count", &R::gpu_count,
           {.doc = "exactly so many GPUs; 0: as few as it takes", .min = 0, .max = 65536})
      .add("find_max_rate", &R::find_max_rate, {.doc = "the highest rate that keeps to the limits"})
      .add("seeds", &R::seeds,
           {.doc = "draws of the load, by seeds from `seed` on, that decide of the best deployments and of "
                   "what one draw leaves open; 1: one decides",
            .min = 1,
            .max = 100})
      .add("objective", &R::objective, {.doc = "what is best"})
      .add("price_kind", &R::price_kind, {.doc = "how GPUs are rented"})
      .add("rent", &R::rent,
           {.doc = "parts that are rented in different ways, KIND=SHARE of instances: reserved=0.6,spot"})
      .add("prices", &R::prices, {.doc = "a list of prices of one's own"})
      .add("price", &R::price, {.doc = "GPU=DOLLARS of one GPU for one hour, or GPU:KIND=DOLLARS"})
      .add(
          "whole_nodes", &R::whole_nodes,
          {.doc = "GPUs are paid for by whole nodes; default: where the price list says that they are rented "
                  "so"})
      .add("power_price", &R::power_price, {.unit = "$/kWh", .doc = "of power, on top", .min = 0, .max = 100})
      .add(
          "max_power_kw", &R::max_power_kw,
          {.unit = "kW", .doc = "most power of all nodes of a deployment; 0: no limit", .min = 0, .max = 1e6})
      .add("max_racks", &R::max_racks,
           {.doc = "most racks that they stand in; 0: no limit", .min = 0, .max = 65536})
      .add("rack_power_kw", &R::rack_power_kw,
           {.unit = "kW", .doc = "that one rack supplies: how many nodes it holds", .min = 0.1, .max = 1e4})
      .add("spare_instances", &R::spare_instances,
           {.doc = "instances of each pool that may fail: paid for, and missing in the runs",
            .min = 0,
            .max = 1000})
      .add("day_price", &R::day_price,
           {.doc = "GPU@FROM-TO=DOLLARS of one GPU for one hour between two hours of the day"})
      .add("start_hour", &R::start_hour,
           {.unit = "h", .doc = "of the day, when the load begins, where pools scale", .min = 0, .max = 24})
      .add("growth", &R::growth, {.doc = "factor of the load", .min = 0.01, .max = 1000});
}

void add_fleet(RequestFields<PlanRequest>& fields) {
  using R = PlanRequest;
  fields.add("routing_policy", &R::routing_policy, {.doc = "how requests are given out to instances"})
      .add("fleet", &R::fleet, {.doc = "what the router in front knows and refuses"})
      .add("shared_kv", &R::shared_kv, {.doc = "a store of all instances, and instances that read of others"})
      .add("kv_store_price", &R::kv_store_price,
           {.unit = "$/GiB/h", .doc = "of the store that instances share", .min = 0, .max = 1000})
      .add("unserved_share", &R::unserved_share,
           {.doc = "of the requests may be turned away or time out", .min = 0, .max = 0.99})
      .add("autoscaling", &R::autoscaling,
           {.doc = "fleets are what a pool may grow to, and what it holds is paid for"});
}

}  // namespace

FieldTable PlanRequest::describe() {
  using R = PlanRequest;
  RequestFields<R> fields("plan");
  fields
      .add("model", &R::model,
           {.doc = "a name (see `warploom models`) or the path of a config.json", .required = true})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("expert_routing", &R::expert_routing, {.doc = kExpertRoutingDoc})
      .add("kv_cache_dtype", &R::kv_cache_dtype,
           {.doc = "element type of the KV cache, auto for the model's"})
      .add("gpu_memory_utilization", &R::gpu_memory_utilization,
           {.doc = "share of GPU memory that the engine may use", .min = 0.01, .max = 1})
      .add("acceptance_length", &R::acceptance_length,
           {.doc = "mean tokens that a verifying step yields", .min = 1, .max = 65})
      .add("host_profile", &R::host_profile, {.doc = "the machine that runs the engine"})
      .add("machine", &R::machine, {.doc = "your machine as it was measured: calibrate-machine writes it"})
      .add("measured_at", &R::measured_at,
           {.doc = "where the latencies count from that limits mean: client, its way included, or engine"})
      .add("network", &R::network, {.doc = "between nodes, in place of the nodes' records"})
      .add("vision_encoder", &R::vision_encoder,
           {.doc = "a vision_config as JSON, or the path of a config.json that has one"})
      .add("space", &R::space, {.doc = "what may be chosen"})
      .add("source", &R::source, {.doc = "what the requests are and when they come"})
      .add("slo", &R::slo, {.doc = "limits in ms, for example ttft_p95_ms=800"})
      .add("goodput", &R::goodput, {.doc = "limits in ms of one request, for example ttft:500"})
      .add("goodput_share", &R::goodput_share,
           {.doc = "share of the requests, and of those of each class, that must meet their limits",
            .min = 0.01,
            .max = 1});
  add_what_is_bought(fields);
  add_fleet(fields);
  return fields
      .add("fronts", &R::fronts, {.doc = "also every point of the Pareto fronts, not the best alone"})
      .add("exhaustive", &R::exhaustive, {.doc = "simulate whatever can run, for checking the search"})
      .add("store", &R::store, {.doc = "file of runs, from which a stopped search goes on"})
      .add("time_limit_s", &R::time_limit_s,
           {.unit = "s", .doc = "stop with the best so far; 0: none", .min = 0, .max = 1e7})
      .add("require_tier", &R::require_tier, {.doc = "measured: refuse kernels that never were"})
      .add("views", &R::views, {.doc = "also the plan as a picture: svg, both fronts", .choices = kPlanViews})
      .add("emit", &R::emit,
           {.doc = "also what starts the best deployment: auto, an engine's name, k8s, llm-d or dynamo"})
      .add("top", &R::top,
           {.doc = "deployments that emit writes, the best ones, each in a folder", .min = 1, .max = 100})
      .add("check", &R::check, {.doc = "a benchmark's result, compared with the promise"})
      .add("threads", &R::threads, {.doc = "0: as many as the machine has. No effect on results"})
      .table();
}

}  // namespace warploom
