#include "warploom/serving/simulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/serving/cluster/independent_replicas.h"
#include "warploom/serving/cluster/run.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

void check_request(const ServingConfig& config, const SpeculativeConfig& speculation,
                   const Workload& workload, std::size_t index) {
  const WorkloadRequest& request = workload.requests[index];
  const std::int64_t tokens = std::int64_t(request.input_tokens) + request.output_tokens;
  const auto where = [&] {
    return fmt::format("workload '{}': request {} ({} input, {} output tokens)", workload.name, index,
                       request.input_tokens, request.output_tokens);
  };
  if (config.max_model_len && tokens > *config.max_model_len) {
    throw InvalidInput(fmt::format("{} is longer than max_model_len, expected at most {} tokens in all",
                                   where(), *config.max_model_len));
  }
  // What was computed before a preemption is computed again as one prompt.
  const std::int64_t whole =
      config.capacity_scheduler_policy == "guaranteed_no_evict" && config.engine == "trtllm"
          ? request.input_tokens
          : tokens;
  const std::int64_t step_tokens = max_num_batched_tokens_of(config);
  if (!chunks_prompts(config) && whole > step_tokens) {
    throw InvalidInput(
        fmt::format("{} does not fit into a step without chunked prefill, expected at most "
                    "max_num_batched_tokens = {} tokens",
                    where(), step_tokens));
  }
  // The last output token is never written to the cache; drafts behind it are, twice.
  const std::int64_t block_size = block_size_of(config);
  const std::int64_t drafted = speculation.on() ? speculation.verified_tokens - 1 + speculation.steps : 0;
  const std::int64_t blocks = (tokens - 1 + drafted + block_size - 1) / block_size;
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
    const std::int64_t instances = pool.config.instances * pool.config.data_parallel_size /
                                   std::int64_t(pool.pricer->coupled_replicas());
    if (std::int64_t(failure.instance) >= std::max(instances, pool.autoscaling.max_instances)) {
      throw InvalidInput(fmt::format("failure: of instance {} of pool {}, expected 0 to {}", failure.instance,
                                     pool.name, instances - 1));
    }
  }
}

}  // namespace

SimulationResult simulate(const Deployment& deployment, const Workload& workload,
                          const SimulationOptions& options) {
  WARPLOOM_ASSERT(!deployment.pools.empty() && deployment.pools.size() <= 2);
  check_workload(workload);
  check_failures(deployment);
  for (const PoolPlan& pool : deployment.pools) {
    check_config(pool.config);
    check_autoscaling(pool.autoscaling);
    check_replicas(pool.config, *pool.pricer);
    const SpeculativeConfig speculation = speculation_of(pool.config);
    for (std::size_t i = 0; i < workload.requests.size(); ++i)
      check_request(pool.config, speculation, workload, i);
  }
  if (instances_are_independent(deployment, workload, options))
    return simulate_independent(deployment, workload, options);
  return Run(deployment, workload, options).result();
}

SimulationResult simulate(const ServingConfig& config, const Workload& workload, const StepPricer& pricer,
                          const SimulationOptions& options) {
  Deployment deployment;
  deployment.pools.push_back({.config = config, .pricer = &pricer});
  return simulate(deployment, workload, options);
}

}  // namespace warploom
