#include "warploom/serving/live_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/serving/run_checks.h"

namespace warploom {
namespace {

const Deployment& checked(const Deployment& deployment) {
  check_deployment(deployment);
  return deployment;
}

SimulationOptions without_records() {
  SimulationOptions options;
  options.timeline_samples = 0;
  return options;
}

std::int32_t checked_tokens(const char* what, std::int64_t tokens) {
  if (tokens < 1 || tokens > kMaxRequestTokens)
    throw InvalidInput(fmt::format("{} is {} tokens, expected 1 to {}", what, tokens, kMaxRequestTokens));
  return std::int32_t(tokens);
}

}  // namespace

LiveRun::LiveRun(const Deployment& deployment, RunListener& listener)
    : deployment_(checked(deployment)),
      limits_(length_limits(deployment)),
      workload_{.name = "live"},
      options_(without_records()),
      run_(deployment, workload_, options_, &listener) {}

SimDuration LiveRun::least_way() const {
  return to_sim_duration(deployment_.pools[0].config.host.frontend_latency);
}

std::uint32_t LiveRun::add(SimTime arrival, std::int64_t input_tokens, std::int64_t output_tokens) {
  Workload one{.name = "live",
               .requests = {{.arrival = arrival,
                             .input_tokens = checked_tokens("the prompt", input_tokens),
                             .output_tokens = checked_tokens("the output", output_tokens)}}};
  if (limits_.any()) {
    if (auto limited = limit_lengths(one, limits_)) one = std::move(limited->workload);
    if (one.requests[0].rejected)
      throw InvalidInput(fmt::format("the prompt has {} tokens, expected fewer than {}", input_tokens,
                                     limits_.max_model_len > 0 && input_tokens >= limits_.max_model_len
                                         ? limits_.max_model_len
                                         : limits_.step));
  }
  check_requests(deployment_, one, 0);
  workload_.requests.push_back(one.requests[0]);
  run_.append();
  return std::uint32_t(workload_.requests.size() - 1);
}

}  // namespace warploom
