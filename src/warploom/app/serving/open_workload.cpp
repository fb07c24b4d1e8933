#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"
#include "warploom/serving/workload/client_mix.h"
#include "warploom/serving/workload/fitted_workload.h"
#include "warploom/serving/workload/named_sessions.h"
#include "warploom/serving/workload/trace_file.h"

namespace warploom {
namespace {

void refuse_unless(bool allowed, std::string_view what) {
  if (!allowed) throw InvalidInput(std::string(what));
}

// `by_name`: kinds that another one stands beside by its name.
void check_kind(const WorkloadRequestSource& source, int by_name) {
  const int given = int(!source.trace.empty()) + int(!source.workload.empty()) +
                    int(source.sessions.has_value()) + int(source.random.has_value()) +
                    int(!source.clients.empty()) - by_name;
  if (given == 1) return;
  throw InvalidInput(fmt::format(
      "source: expected one of a trace (`trace` FILE), a named workload (`workload` {}), random "
      "prompts (`workload` random or `random_input_len` N), a file of clients (`clients` FILE) and sessions "
      "(`sessions` N)",
      fmt::join(workload_names(), "|")));
}

void check_source(const WorkloadRequestSource& source) {
  check_kind(source, int(source.sessions && find_named_sessions(source.workload) != nullptr));
  refuse_unless(!source.rate || !source.concurrency, "rate: excludes `concurrency`, expected one of them");
  refuse_unless(!source.rate || !source.request_rate, "rate: excludes `request_rate`, expected one of them");
  refuse_unless(!source.concurrency || (!source.max_concurrency && !source.request_rate),
                "concurrency: goes without `request_rate` and `max_concurrency`, expected the latter "
                "two alone");
  refuse_unless(!source.sessions || (!source.requests && !source.rate && !source.request_rate),
                "sessions: `requests` and `rate` do not go with it, expected `turns` and `session_rate`");
  const auto check_count = [](const char* field, const std::optional<std::int64_t>& count) {
    if (count && *count < 1) throw InvalidInput(fmt::format("{} is {}, expected at least 1", field, *count));
  };
  check_count("requests", source.requests);
  check_count("concurrency", source.concurrency);
  check_count("max_concurrency", source.max_concurrency);
  refuse_unless(
      source.clients.empty() || (!source.burstiness && !source.request_rate),
      "clients: say how their gaps are distributed, expected neither `burstiness` nor `request_rate`");
  refuse_unless(source.thinking_tokens || source.thinking_std_dev == 0,
                "thinking_std_dev changes nothing by itself, expected `thinking_tokens` too");
  refuse_unless(source.thinking_tokens || !source.thinking_token_budget,
                "thinking_token_budget changes nothing by itself, expected `thinking_tokens` too");
  refuse_unless(!source.burstiness || source.rate || source.request_rate,
                "burstiness: needs a rate, expected `rate` or `request_rate` too");
  const bool loop = source.concurrency || (source.max_concurrency && !source.rate && !source.request_rate);
  refuse_unless(!source.think_time || loop,
                "user_think_time_s: needs a closed loop, expected `concurrency` too");
  if (source.rate && !(*source.rate > 0))
    throw InvalidInput(fmt::format("rate is {}, expected above 0 requests/s", *source.rate));
}

Workload trace_workload(const WorkloadRequestSource& source) {
  Workload workload = read_trace_file(source.trace, source.requests.value_or(0)).workload;
  if (source.concurrency || source.max_concurrency || source.request_rate) return workload;
  if (workload.timed && source.rate && !source.burstiness) {
    rescale_arrivals(workload, *source.rate);
  } else if (source.rate) {
    set_poisson_arrivals(workload, *source.rate, source.seed);
  } else if (!workload.timed) {
    throw InvalidInput(
        fmt::format("{}: states no arrival times, expected `rate` or `concurrency`", source.trace.string()));
  }
  return workload;
}

// A workload of sessions by its name, with its sessions beside it; `requests` and rates count requests.
void take_named_sessions(WorkloadRequestSource& source) {
  const NamedSessions* named = find_named_sessions(source.workload);
  if (named == nullptr || source.sessions) return;
  SessionShape shape = sessions_for(named->shape, source.requests.value_or(kDefaultRequests));
  source.requests.reset();
  std::optional<double>& rate = source.request_rate ? source.request_rate : source.rate;
  if (rate && std::isfinite(*rate)) {
    shape.rate = *rate / requests_of_session(shape);
    rate.reset();
  }
  source.sessions = shape;
}

// The prompts, with the times that the source itself states.
Workload prompts_of(const WorkloadRequestSource& source) {
  const std::int64_t requests = source.requests.value_or(kDefaultRequests);
  if (source.sessions) {
    Workload workload = session_workload(*source.sessions, source.seed);
    if (!source.workload.empty()) workload.name = fmt::format("{}: {}", source.workload, workload.name);
    return workload;
  }
  if (source.random) return random_prompts(*source.random, requests, source.seed);
  if (!source.clients.empty())
    return client_workload(read_client_mix(source.clients), source.rate.value_or(0),
                           source.requests.value_or(0), source.seed);
  if (source.trace.empty())
    return sample_workload(fitted_workload(source.workload), requests, source.rate, source.seed);
  return trace_workload(source);
}

// As `vllm bench serve` sends them: random prompts come all at once unless a rate is given.
void set_arrivals(Workload& workload, const WorkloadRequestSource& source) {
  constexpr double kAllAtOnce = std::numeric_limits<double>::infinity();
  const double burstiness = source.burstiness.value_or(1);
  if (source.request_rate)
    set_benchmark_arrivals(workload, *source.request_rate, burstiness, source.seed);
  else if (source.random && source.rate)
    set_benchmark_arrivals(workload, *source.rate, burstiness, source.seed);
  else if (source.random)
    set_benchmark_arrivals(workload, kAllAtOnce, burstiness, source.seed);
  else if (source.burstiness)
    set_gamma_arrivals(workload, *source.rate, *source.burstiness, source.seed);
  if (source.concurrency) set_closed_loop(workload, *source.concurrency);
  if (!source.max_concurrency) return;
  if (source.rate || source.request_rate)
    workload.most_in_flight = source.max_concurrency;
  else
    set_closed_loop(workload, *source.max_concurrency);
}

}  // namespace

// A workload of sessions takes its sessions here too, so that what asks for a source's rate meets theirs.
bool name_default_workload(WorkloadRequestSource& source) {
  if (source.sessions && !source.workload.empty()) check_kind(source, 0);
  take_named_sessions(source);
  if (!source.workload.empty() || !source.trace.empty() || !source.clients.empty() || source.sessions ||
      source.random)
    return false;
  source.workload = kDefaultWorkload;
  return true;
}

Workload open_workload(const WorkloadRequestSource& given) {
  WorkloadRequestSource source = given;
  take_named_sessions(source);
  check_source(source);
  Workload workload = prompts_of(source);
  refuse_unless(!source.images || !source.image_draws.empty(),
                "images_per_request: not modelled here, expected `simulate`");
  if (source.images)
    add_images(workload, *source.images, source.image_draws, source.image_share, source.seed);
  if (source.thinking_tokens)
    add_thinking(workload, {*source.thinking_tokens, source.thinking_std_dev, source.thinking_token_budget},
                 source.seed);
  set_arrivals(workload, source);
  if (source.think_time) set_think_time(workload, *source.think_time, source.seed);
  return workload;
}

}  // namespace warploom
