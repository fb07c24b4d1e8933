#include "warploom/serving/run_checks.h"

#include <fmt/format.h>

#include <algorithm>

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

// What would change nothing, or what is not modelled, is refused.
void check_rules(const Deployment& deployment) {
  const FleetRules& rules = deployment.rules;
  check(rules, "fleet");
  const auto follows_load = [](const PoolPlan& pool) { return !in_turn(pool.config); };
  const auto weighs = [](const PoolPlan& pool) {
    return pool.config.routing_policy == RoutingPolicy::Weighted;
  };
  const FleetRules defaults;
  const bool weighted = rules.prefix_weight != defaults.prefix_weight ||
                        rules.queue_weight != defaults.queue_weight || rules.kv_weight != defaults.kv_weight;
  if (weighted && std::none_of(deployment.pools.begin(), deployment.pools.end(), weighs))
    throw InvalidInput(
        "router weights: are read by the policy `weighted` alone, expected `routing_policy` weighted");
  if (rules.signal_interval.value() > 0 &&
      std::none_of(deployment.pools.begin(), deployment.pools.end(), follows_load))
    throw InvalidInput(
        "router_signal_interval_s: requests go to replicas in turn, whatever these do, expected another "
        "`routing_policy`, for example weighted");
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
