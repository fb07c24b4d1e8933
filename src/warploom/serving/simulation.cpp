#include "warploom/serving/simulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/serving/cluster/independent_replicas.h"
#include "warploom/serving/cluster/run.h"
#include "warploom/serving/run_checks.h"

namespace warploom {
namespace {

SimulationResult simulate_checked(const Deployment& deployment, const Workload& workload,
                                  const SimulationOptions& options) {
  check_deployment(deployment);
  check_requests(deployment, workload, 0);
  if (instances_are_independent(deployment, workload))
    return simulate_independent(deployment, workload, options);
  return Run(deployment, workload, options).result();
}

[[noreturn]] void throw_all_too_long(const Workload& workload, const LengthLimits& limits) {
  const std::int64_t first = workload.requests[0].input_tokens;
  if (limits.step > 0 && (limits.max_model_len == 0 || limits.step < limits.max_model_len))
    throw InvalidInput(fmt::format(
        "workload '{}': no request fits into a step without chunked prefill (the first has {} "
        "tokens), expected some of at most max_num_batched_tokens = {} tokens, or `enable_chunked_prefill`",
        workload.name, first, limits.step));
  throw InvalidInput(
      fmt::format("workload '{}': every prompt is as long as max_model_len (the first has {} "
                  "tokens), expected some of fewer than {} tokens",
                  workload.name, first, limits.max_model_len));
}

}  // namespace

SimulationResult simulate(const Deployment& deployment, const Workload& workload,
                          const SimulationOptions& options) {
  WARPLOOM_ASSERT(!deployment.pools.empty() && deployment.pools.size() <= 2);
  check_workload(workload);
  const LengthLimits limits = length_limits(deployment);
  const auto limited = limits.any() ? limit_lengths(workload, limits) : std::nullopt;
  if (!limited) return simulate_checked(deployment, workload, options);
  if (limited->rejected == std::ssize(workload.requests)) throw_all_too_long(workload, limits);
  SimulationResult result = simulate_checked(deployment, limited->workload, options);
  result.rejected = limited->rejected;
  result.cut = limited->cut;
  return result;
}

SimulationResult simulate(const ServingConfig& config, const Workload& workload, const StepPricer& pricer,
                          const SimulationOptions& options) {
  Deployment deployment;
  deployment.pools.push_back({.config = config, .pricer = &pricer});
  return simulate(deployment, workload, options);
}

}  // namespace warploom
