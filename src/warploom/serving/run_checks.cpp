#include "warploom/serving/run_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/base/error.h"
#include "warploom/serving/cluster/pool.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

void check_request(const ServingConfig& config, const SpeculativeConfig& speculation,
                   const Workload& workload, std::size_t index) {
  const WorkloadRequest& request = workload.requests[index];
  if (request.rejected) return;
  const std::int64_t tokens = std::int64_t(request.input_tokens) + request.output_tokens;
  const auto where = [&] {
    return fmt::format("workload '{}': request {} ({} input, {} output tokens)", workload.name, index,
                       request.input_tokens, request.output_tokens);
  };
  const std::int64_t step_tokens = max_num_batched_tokens_of(config);
  // The last output token is never written to the cache; drafts behind it are, twice.
  const std::int64_t block_size = block_size_of(config);
  const std::int64_t drafted = speculation.on() ? speculation.verified_tokens - 1 + speculation.steps : 0;
  const std::int64_t blocks = config.kv_layout.most_blocks(tokens - 1 + drafted, step_tokens, block_size);
  if (config.num_gpu_blocks_override && blocks > *config.num_gpu_blocks_override) {
    throw InvalidInput(fmt::format("{} needs {} KV blocks of {} tokens, expected at most the {} of the cache",
                                   where(), blocks, block_size, *config.num_gpu_blocks_override));
  }
}

void check_replicas(const ServingConfig& config, const StepPricer& pricer) {
  if (config.data_parallel_size % std::int64_t(pricer.coupled_replicas()) != 0) {
    throw InvalidInput(
        fmt::format("data_parallel_size is {}, expected a multiple of the {} ranks that share a mixture of "
                    "experts",
                    config.data_parallel_size, pricer.coupled_replicas()));
  }
}

void check_failures(const Deployment& deployment) {
  for (const InstanceFailure& failure : deployment.failures) {
    if (failure.pool >= deployment.pools.size())
      throw InvalidInput(fmt::format("failure: of pool {}, expected one of {} pools", failure.pool,
                                     deployment.pools.size()));
    const PoolPlan& pool = deployment.pools[failure.pool];
    const std::int64_t instances = instance_count(pool);
    if (std::int64_t(failure.instance) >= std::max(instances, pool.autoscaling.max_instances)) {
      throw InvalidInput(fmt::format("failure: of instance {} of pool {}, expected 0 to {}", failure.instance,
                                     pool.name, instances - 1));
    }
  }
}

// Fields of FleetRules that one policy alone reads.
struct PolicyFields {
  RoutingPolicy policy;
  std::array<std::string_view, 4> fields;
};
constexpr std::array kPolicyFields{
    PolicyFields{RoutingPolicy::Weighted,
                 {"router_prefix_weight", "router_queue_weight", "router_kv_weight", "router_cold_weight"}},
    PolicyFields{RoutingPolicy::KvCost,
                 {"router_overlap_credit", "router_prefill_scale", "router_temperature"}},
    PolicyFields{RoutingPolicy::CacheAware,
                 {"router_cache_threshold", "router_balance_abs", "router_balance_rel"}}};

void check_router(const Deployment& deployment) {
  const FleetRules& rules = deployment.rules;
  const FleetRules usual;
  const auto is_set = [&](std::string_view name) {
    const Field* field = fields_of<FleetRules>().find(name);
    return field != nullptr && field->get(&rules) != field->get(&usual);
  };
  const auto any_pool = [&](const auto& has) {
    return std::any_of(deployment.pools.begin(), deployment.pools.end(),
                       [&](const PoolPlan& pool) { return has(pool.config.routing_policy); });
  };
  for (const PolicyFields& each : kPolicyFields)
    for (const std::string_view field : each.fields)
      if (!field.empty() && is_set(field) && !any_pool([&](RoutingPolicy p) { return p == each.policy; }))
        throw InvalidInput(
            fmt::format("{0}: is read by the policy `{1}` alone, expected `routing_policy` {1}", field,
                        name_of(each.policy)));
  const bool told =
      any_pool([](RoutingPolicy p) { return looks_at_prefixes(p) && p != RoutingPolicy::CacheAware; });
  for (const std::string_view field : {"router_event_delay_s", "router_remembers_routed"})
    if (is_set(field) && !told)
      throw InvalidInput(
          fmt::format("{}: no router asks engines what they have cached, expected `routing_policy` "
                      "prefix_aware, weighted or kv_cost",
                      field));
  if (is_set("router_event_delay_s") && rules.remembers_routed)
    throw InvalidInput("router_event_delay_s: goes without `router_remembers_routed`, expected one of them");
  const bool remembers =
      rules.remembers_routed || any_pool([](RoutingPolicy p) { return p == RoutingPolicy::CacheAware; });
  if (is_set("router_memory_s") && !remembers)
    throw InvalidInput(
        "router_memory_s: no router remembers what it sent where, expected `router_remembers_routed` or "
        "`routing_policy` cache_aware");
}

// What would change nothing, or what is not modelled, is refused.
void check_rules(const Deployment& deployment) {
  const FleetRules& rules = deployment.rules;
  check(rules, "fleet");
  const auto follows_load = [](const PoolPlan& pool) {
    return !in_turn(pool.config) && !counts_own(pool.config.routing_policy);
  };
  check_router(deployment);
  if (rules.signal_interval.value() > 0 &&
      std::none_of(deployment.pools.begin(), deployment.pools.end(), follows_load))
    throw InvalidInput(
        "router_signal_interval_s: requests go to replicas in turn or by what the router itself counts, "
        "expected another `routing_policy`, for example weighted");
  if (rules.front_ends > 0 && deployment.pools[0].config.host.frontend_per_token.value() == 0)
    throw InvalidInput(
        "front_ends: share the work on prompts, of which there is none here, expected `measured_at` client "
        "and `frontend_per_token_us` above 0");
  if (rules.request_timeout.value() > 0 && deployment.disaggregated())
    throw Unsupported(
        "request_timeout_s: is not modelled where prefill and decode are apart, expected one pool");
}

}  // namespace

void check_deployment(const Deployment& deployment) {
  check_failures(deployment);
  check_rules(deployment);
  for (const PoolPlan& pool : deployment.pools) {
    check_config(pool.config);
    check_autoscaling(pool.autoscaling);
    check_replicas(pool.config, *pool.pricer);
  }
}

void check_requests(const Deployment& deployment, const Workload& workload, std::size_t first) {
  for (const PoolPlan& pool : deployment.pools) {
    const SpeculativeConfig speculation = speculation_of(pool.config);
    for (std::size_t i = first; i < workload.requests.size(); ++i)
      check_request(pool.config, speculation, workload, i);
  }
}

LengthLimits length_limits(const Deployment& deployment) {
  LengthLimits limits;
  const auto lower = [](std::int64_t& limit, std::int64_t own) {
    limit = limit == 0 ? own : std::min(limit, own);
  };
  for (const PoolPlan& pool : deployment.pools) {
    if (pool.config.max_model_len) lower(limits.max_model_len, *pool.config.max_model_len);
    if (chunks_prompts(pool.config)) continue;
    lower(limits.step, max_num_batched_tokens_of(pool.config));
    if (engine_named(pool.config.engine).may_stop_requests(pool.config)) limits.recomputes = true;
  }
  return limits;
}

}  // namespace warploom
