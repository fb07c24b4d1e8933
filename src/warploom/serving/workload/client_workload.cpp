// The requests of a mix of clients.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/serving/workload/client_mix.h"

namespace warploom {
namespace {

constexpr double kRateStep = 1.0;                         // s over which a rate counts as constant
constexpr std::int64_t kMostClientRequests = 20'000'000;  // beyond which memory is the limit

double rate_at(const WorkloadClient& client, double time) {
  double rate = client.rate;
  for (const RateWindow& window : client.windows)
    if (time >= window.from.value() && time < window.to.value()) rate *= window.factor;
  constexpr double kTurn = 2 * 3.14159265358979323846;
  const DiurnalSwing& swing = client.diurnal;
  if (swing.amplitude > 0)
    rate *= 1 + swing.amplitude * std::cos(kTurn * (time - swing.peak.value()) / swing.period.value());
  return rate;
}

struct Span {
  double from = 0, to = 0;
};

Span span_of(const WorkloadClient& client, Seconds duration) {
  const double end = client.to.value() > 0 ? std::min(client.to, duration).value() : duration.value();
  return {std::min(client.from.value(), end), end};
}

double expected_requests(const WorkloadClient& client, Seconds duration) {
  const Span span = span_of(client, duration);
  double sum = 0;
  for (double at = span.from; at < span.to; at += kRateStep) {
    const double length = std::min(kRateStep, span.to - at);
    sum += length * rate_at(client, at + length / 2);
  }
  return sum;
}

// A gap of mean 1.
double unit_gap(const WorkloadClient& client, RandomStream& random) {
  switch (client.arrivals) {
    case ArrivalProcess::Poisson:
      return random.exponential(1);
    case ArrivalProcess::Gamma:
      return random.gamma(client.shape, 1 / client.shape);
    case ArrivalProcess::Weibull:
      return std::pow(random.exponential(1), 1 / client.shape) / std::tgamma(1 + 1 / client.shape);
    case ArrivalProcess::Constant:
      return 1;
  }
  return 1;
}

struct ClientRequest {
  double time = 0;
  std::uint32_t client = 0;
  std::int32_t input = 1, output = 1;
};

// Gaps are drawn in requests, and the rate says how long a request lasts at each moment.
void add_requests(const WorkloadClient& client, std::uint32_t index, Seconds duration, double scale,
                  std::uint64_t seed, std::vector<ClientRequest>& requests) {
  RandomStream gaps(seed, fmt::format("client {} arrivals", index));
  RandomStream lengths(seed, fmt::format("client {} lengths", index));
  const Span span = span_of(client, duration);
  double left = unit_gap(client, gaps) * (client.arrivals == ArrivalProcess::Constant ? 0 : 1);
  for (double at = span.from; at < span.to;) {
    const double end = std::min(span.to, (std::floor(at / kRateStep) + 1) * kRateStep);
    const double rate = scale * rate_at(client, (at + end) / 2);
    if (!(rate > 0) || left > rate * (end - at)) {
      left -= rate * (end - at);
      at = end;
      continue;
    }
    at += left / rate;
    if (at >= span.to) break;
    const std::int32_t input = client.input_tokens.draw(lengths);
    requests.push_back({at, index, input, client.output_tokens.draw(lengths)});
    if (std::ssize(requests) > kMostClientRequests)
      throw InvalidInput(
          fmt::format("clients: more than {} requests come, expected a shorter duration_s or "
                      "lower rates",
                      kMostClientRequests));
    left = unit_gap(client, gaps);
  }
}

// Prompts of one client begin alike where it has a prefix.
void add_client_contents(Workload& workload, const ClientMix& mix,
                         const std::vector<ClientRequest>& requests) {
  const auto prefixed = [](const WorkloadClient& client) { return client.prefix_tokens > 0; };
  if (std::none_of(mix.clients.begin(), mix.clients.end(), prefixed)) return;
  std::uint64_t next = mix.clients.size() + 1;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
    const std::int64_t prefix = mix.clients[requests[i].client].prefix_tokens;
    if (prefix > 0) workload.content.push_back({requests[i].client + 1, std::int32_t(prefix)});
    workload.content.push_back({next++, requests[i].input});
  }
  workload.content_begin.push_back(std::uint32_t(workload.content.size()));
}

std::uint16_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return std::uint16_t(found - names.begin());
  names.push_back(name);
  return std::uint16_t(names.size() - 1);
}

}  // namespace

Workload client_workload(const ClientMix& mix, double rate, std::int64_t max_requests, std::uint64_t seed) {
  double scale = 1;
  if (rate > 0) {
    double expected = 0;
    for (const WorkloadClient& client : mix.clients) expected += expected_requests(client, mix.duration);
    if (!(expected > 0)) throw InvalidInput("clients: no request is expected, expected a rate above 0");
    scale = rate * mix.duration.value() / expected;
  }
  std::vector<ClientRequest> requests;
  for (std::size_t i = 0; i < mix.clients.size(); ++i)
    add_requests(mix.clients[i], std::uint32_t(i), mix.duration, scale, seed, requests);
  std::stable_sort(requests.begin(), requests.end(),
                   [](const ClientRequest& a, const ClientRequest& b) { return a.time < b.time; });
  if (max_requests > 0 && std::ssize(requests) > max_requests) requests.resize(std::size_t(max_requests));
  if (requests.empty())
    throw InvalidInput("clients: no request comes, expected a longer duration_s or a higher rate");
  Workload workload;
  workload.name = "clients";
  for (const WorkloadClient& client : mix.clients) {
    if (!client.slo_class.empty()) {
      const std::uint16_t place = place_of(workload.classes, client.slo_class);
      if (place == workload.class_limits.size())
        workload.class_limits.push_back(mix.slo_classes.at(client.slo_class));
    }
    if (!client.tenant.empty()) place_of(workload.tenants, client.tenant);
  }
  for (const ClientRequest& request : requests) {
    const WorkloadClient& client = mix.clients[request.client];
    workload.requests.push_back({.arrival = to_sim_time(Seconds(request.time)),
                                 .input_tokens = request.input + std::int32_t(client.prefix_tokens),
                                 .output_tokens = request.output,
                                 .priority = std::int32_t(client.priority)});
    const auto place = [](std::vector<std::string>& names, const std::string& name) {
      return name.empty() ? kNoGroup : place_of(names, name);
    };
    workload.groups.push_back(
        {place(workload.classes, client.slo_class), place(workload.tenants, client.tenant)});
  }
  add_client_contents(workload, mix, requests);
  return workload;
}

}  // namespace warploom
