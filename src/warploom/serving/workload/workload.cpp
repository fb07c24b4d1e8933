#include "warploom/serving/workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/random.h"

namespace warploom {
namespace {

void check_rate(double rate) {
  if (!std::isfinite(rate) || rate <= 0) {
    throw InvalidInput(
        fmt::format("request rate is {}, expected a positive number of requests per second", rate));
  }
}

void check_length(const Workload& workload, std::size_t index, std::string_view what, std::int64_t tokens) {
  if (tokens < 1 || tokens > kMaxRequestTokens) {
    throw InvalidInput(fmt::format("workload '{}': request {} has {} {} tokens, expected 1 to {}",
                                   workload.name, index, tokens, what, kMaxRequestTokens));
  }
}

}  // namespace

namespace {

void check_content(const Workload& workload) {
  if (workload.content_begin.empty()) return;
  const bool whole = workload.content_begin.size() == workload.requests.size() + 1 &&
                     workload.content_begin.front() == 0 &&
                     workload.content_begin.back() == workload.content.size() &&
                     std::is_sorted(workload.content_begin.begin(), workload.content_begin.end());
  if (!whole)
    throw InvalidInput(fmt::format("workload '{}': contents do not belong to the requests", workload.name));
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    std::int64_t tokens = 0;
    for (const ContentSegment& segment : workload.content_of(i)) tokens += segment.tokens;
    if (!workload.content_of(i).empty() && tokens != workload.requests[i].input_tokens) {
      throw InvalidInput(
          fmt::format("workload '{}': request {} has contents of {} tokens, expected its {} input tokens",
                      workload.name, i, tokens, workload.requests[i].input_tokens));
    }
  }
}

void check_further_parents(const Workload& workload) {
  if (workload.further_parents.empty()) return;
  std::vector<std::uint32_t> first(workload.requests.size());  // turn of the session
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::int32_t after = workload.requests[i].after;
    first[i] = after >= 0 && std::size_t(after) < i ? first[std::size_t(after)] : std::uint32_t(i);
  }
  std::uint32_t previous = 0;
  for (const FurtherParent& edge : workload.further_parents) {
    const bool known = edge.request < first.size() && edge.parent < edge.request && edge.request >= previous;
    if (!known || workload.requests[edge.request].after < 0 || first[edge.parent] != first[edge.request] ||
        edge.delay < SimDuration())
      throw InvalidInput(
          fmt::format("workload '{}': request {} also waits for request {}, expected an earlier one of its "
                      "session and a delay of at least 0",
                      workload.name, edge.request, edge.parent));
    previous = edge.request;
  }
}

}  // namespace

void check_workload(const Workload& workload) {
  if (workload.requests.empty()) {
    throw InvalidInput(fmt::format("workload '{}': no requests, expected at least one", workload.name));
  }
  if (workload.concurrency && *workload.concurrency < 1) {
    throw InvalidInput(fmt::format("workload '{}': concurrency is {}, expected at least 1", workload.name,
                                   *workload.concurrency));
  }
  const bool turns = std::any_of(workload.requests.begin(), workload.requests.end(),
                                 [](const WorkloadRequest& request) { return request.after >= 0; });
  if (workload.most_in_flight && (*workload.most_in_flight < 1 || workload.concurrency || turns)) {
    throw InvalidInput(
        fmt::format("workload '{}': at most {} requests in flight, expected at least 1, independent requests "
                    "and arrival times",
                    workload.name, *workload.most_in_flight));
  }
  check_content(workload);
  check_further_parents(workload);
  SimTime previous;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    const WorkloadRequest& request = workload.requests[i];
    check_length(workload, i, "input", request.input_tokens);
    check_length(workload, i, "output", request.output_tokens);
    if (request.after >= std::int64_t(i) || request.after < -1 || request.delay < SimDuration()) {
      throw InvalidInput(fmt::format(
          "workload '{}': request {} follows request {}, expected an earlier one and a delay of at least 0",
          workload.name, i, request.after));
    }
    if (request.after >= 0) continue;
    if (request.arrival < previous) {
      throw InvalidInput(
          fmt::format("workload '{}': request {} arrives at {} s, expected at least {} s, when the one "
                      "before it arrives",
                      workload.name, i, request.arrival.seconds().value(), previous.seconds().value()));
    }
    previous = request.arrival;
  }
}

void set_poisson_arrivals(Workload& workload, double rate, std::uint64_t seed) {
  check_rate(rate);
  RandomStream random(seed, "arrivals");
  double time = 0;
  for (WorkloadRequest& request : workload.requests) {
    if (request.after >= 0) continue;
    request.arrival = to_sim_time(Seconds(time));
    time += random.exponential(1.0 / rate);
  }
  workload.timed = true;
  workload.concurrency.reset();
}

void set_gamma_arrivals(Workload& workload, double rate, double burstiness, std::uint64_t seed) {
  check_rate(rate);
  if (!(burstiness > 0 && burstiness <= 1e6))
    throw InvalidInput(fmt::format("burstiness is {}, expected above 0", burstiness));
  RandomStream random(seed, "arrivals");
  double time = 0;
  for (WorkloadRequest& request : workload.requests) {
    if (request.after >= 0) continue;
    request.arrival = to_sim_time(Seconds(time));
    time += random.gamma(burstiness, 1.0 / (rate * burstiness));
  }
  workload.timed = true;
  workload.concurrency.reset();
}

void add_thinking(Workload& workload, const Thinking& thinking, std::uint64_t seed) {
  constexpr double kMost = double(kMaxRequestTokens) / 2;
  if (!(thinking.mean >= 1 && thinking.mean <= kMost) ||
      !(thinking.deviation >= 0 && thinking.deviation <= kMost) ||
      (thinking.budget && (*thinking.budget < 0 || double(*thinking.budget) > kMost)))
    throw InvalidInput(
        fmt::format("thinking_tokens: a mean of {} with a deviation of {}{}, expected at least 1 "
                    "and 0, at most {} each",
                    thinking.mean, thinking.deviation,
                    thinking.budget ? fmt::format(" and a budget of {}", *thinking.budget) : "", kMost));
  constexpr double kEndOfThought = 1;  // a token
  RandomStream random(seed, "thinking");
  const double ratio = thinking.deviation / thinking.mean;
  const double spread = std::sqrt(std::log1p(ratio * ratio));
  const double median = thinking.mean * std::exp(-spread * spread / 2);
  for (WorkloadRequest& request : workload.requests) {
    double thought = thinking.deviation > 0 ? median * std::exp(random.normal(0, spread)) : thinking.mean;
    thought = std::clamp(std::round(thought), 1.0, kMost);
    if (thinking.budget && thought > double(*thinking.budget)) {
      thought = double(*thinking.budget);
      request.thinking_cut = true;
    }
    request.thinking_tokens = std::int32_t(thought + kEndOfThought);
    check_length(workload, std::size_t(&request - workload.requests.data()), "output",
                 std::int64_t(request.output_tokens) + request.thinking_tokens);
    request.output_tokens += request.thinking_tokens;
  }
}

void set_think_time(Workload& workload, Seconds mean, std::uint64_t seed) {
  if (!(mean.value() >= 0))
    throw InvalidInput(fmt::format("think time is {} s, expected at least 0", mean.value()));
  RandomStream random(seed, "think time");
  for (WorkloadRequest& request : workload.requests)
    if (request.after < 0 && mean.value() > 0)
      request.delay = to_sim_duration(Seconds(random.exponential(mean.value())));
}

void set_fixed_rate_arrivals(Workload& workload, double rate) {
  check_rate(rate);
  std::int64_t arrived = 0;
  for (WorkloadRequest& request : workload.requests)
    if (request.after < 0) request.arrival = to_sim_time(Seconds(double(arrived++) / rate));
  workload.timed = true;
  workload.concurrency.reset();
}

void set_closed_loop(Workload& workload, std::int64_t concurrency) {
  if (concurrency < 1) {
    throw InvalidInput(fmt::format("concurrency is {}, expected at least 1", concurrency));
  }
  workload.concurrency = concurrency;
}

double arrival_rate(const Workload& workload) {
  const auto arrives = [](const WorkloadRequest& request) { return request.after < 0; };
  const auto& requests = workload.requests;
  const auto first = std::find_if(requests.begin(), requests.end(), arrives);
  const auto last = std::find_if(requests.rbegin(), requests.rend(), arrives);
  if (first == requests.end()) return 0;
  const double span = (last->arrival - first->arrival).seconds().value();
  return span > 0 ? double(std::count_if(requests.begin(), requests.end(), arrives) - 1) / span : 0;
}

void rescale_arrivals(Workload& workload, double rate) {
  check_rate(rate);
  const double now = arrival_rate(workload);
  if (now <= 0) {
    throw InvalidInput(
        fmt::format("workload '{}': all requests arrive at one time, expected distinct times to scale "
                    "to {} requests per second",
                    workload.name, rate));
  }
  for (WorkloadRequest& request : workload.requests) {
    request.arrival = to_sim_time(request.arrival.seconds() * (now / rate));
  }
}

Workload synthetic_workload(const SyntheticLengths& lengths, std::uint64_t seed) {
  if (lengths.requests < 1 || !(lengths.range_ratio > 0 && lengths.range_ratio <= 1)) {
    throw InvalidInput(
        fmt::format("synthetic workload: {} requests with range ratio {}, expected at least 1 request and a "
                    "ratio in (0, 1]",
                    lengths.requests, lengths.range_ratio));
  }
  Workload workload;
  workload.name = fmt::format("random {} in, {} out", lengths.input_tokens, lengths.output_tokens);
  RandomStream random(seed, "lengths");
  const auto draw = [&](std::int64_t length) {
    const auto low = std::max<std::int64_t>(1, std::int64_t(lengths.range_ratio * double(length)));
    return std::int32_t(random.integer(std::min(low, length), length));
  };
  if (lengths.input_tokens < 1 || lengths.output_tokens < 1 || lengths.input_tokens > kMaxRequestTokens ||
      lengths.output_tokens > kMaxRequestTokens) {
    throw InvalidInput(fmt::format("synthetic workload: {} input and {} output tokens, expected 1 to {}",
                                   lengths.input_tokens, lengths.output_tokens, kMaxRequestTokens));
  }
  workload.timed = false;
  workload.requests.reserve(std::size_t(lengths.requests));
  for (std::int64_t i = 0; i < lengths.requests; ++i) {
    const std::int32_t input = draw(lengths.input_tokens);
    workload.requests.push_back({SimTime(), input, draw(lengths.output_tokens)});
  }
  return workload;
}

}  // namespace warploom
