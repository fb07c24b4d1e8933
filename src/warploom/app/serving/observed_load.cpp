#include "warploom/app/serving/observed_load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/serving/engines/engine_metrics.h"

namespace warploom {
namespace {

const EngineMetrics& engine_of(const MetricsText& metrics) {
  const EngineMetrics* found = nullptr;
  for (const EngineMetrics& engine : kEngineMetrics) {
    const auto at = metrics.values.lower_bound(engine.prefix);
    if (at == metrics.values.end() || !at->first.starts_with(engine.prefix)) continue;
    if (found != nullptr)
      throw InvalidInput(
          fmt::format("{}: holds metrics of vllm and of sglang, expected one engine", metrics.source));
    found = &engine;
  }
  if (found == nullptr)
    throw InvalidInput(
        fmt::format("{}: holds no metrics of a known engine, expected names that begin with "
                    "vllm: or sglang:",
                    metrics.source));
  return *found;
}

[[noreturn]] void refuse_restart(const MetricsText& after, const std::string& name) {
  throw InvalidInput(
      fmt::format("{}: {} is smaller than before: the server was started anew or the snapshots "
                  "are in the wrong order; expected two of one run",
                  after.source, name));
}

double grown(const MetricsText& after, const MetricsText* before, const std::string& name) {
  const double growth = after.value(name) - (before == nullptr ? 0 : before->value(name));
  if (growth < 0) refuse_restart(after, name);
  return growth;
}

MetricHistogram grown_histogram(const MetricsText& after, const MetricsText* before, const char* name) {
  const auto at = after.histograms.find(name);
  if (at == after.histograms.end())
    throw InvalidInput(fmt::format("{}: the histogram {} is missing", after.source, name));
  MetricHistogram histogram = at->second;
  if (before != nullptr)
    if (const auto then = before->histograms.find(name); then != before->histograms.end()) {
      for (const auto& [bound, count] : then->second.cumulative) {
        const auto now = histogram.cumulative.find(bound);
        if (now == histogram.cumulative.end() || now->second < count) refuse_restart(after, name);
        now->second -= count;
      }
      histogram.sum -= then->second.sum;
      histogram.count -= then->second.count;
    }
  if (histogram.empty() || histogram.cumulative.empty() || !(histogram.mean() >= 0))
    throw InvalidInput(
        fmt::format("{}: {} counts nothing in this time, expected requests that ended", after.source, name));
  return histogram;
}

void set_window(ObservedLoad& load, const MetricsText& after, const MetricsText* before,
                std::optional<Seconds> window) {
  const double start =
      before != nullptr ? before->seconds.value_or(0) : after.value("process_start_time_seconds");
  load.window_from = before != nullptr ? "the times of the two snapshots" : "process_start_time_seconds";
  if (window) load.window_from = "`window`";
  load.window = window ? *window : Seconds(after.seconds.value_or(0) - start);
  if (!window && !(start > 0))
    throw InvalidInput(fmt::format("{}: has no process_start_time_seconds, expected `window`", after.source));
  if (!(load.window.value() > 0))
    throw InvalidInput(fmt::format("{}: its counters grew over {} s by {}, expected `window`", after.source,
                                   load.window.value(), load.window_from));
}

struct Bucket {
  double low = 0, high = 0, count = 0;
};

std::vector<Bucket> buckets_of(const MetricHistogram& histogram) {
  std::vector<Bucket> buckets;
  double low = 1, below = 0;
  for (const auto& [bound, at] : histogram.cumulative) {
    const double high = std::isinf(bound) ? std::max(2 * low, 2 * histogram.mean()) : bound;
    if (at > below) buckets.push_back({low, std::max(high, low), at - below});
    low = std::max(low, high);
    below = at;
  }
  return buckets;
}

// Lengths at even quantiles. `lean` above 1 leans towards the lower end of each bucket.
std::vector<double> lengths_at(const std::vector<Bucket>& buckets, double count, std::size_t n, double lean) {
  std::vector<double> lengths;
  std::size_t at = 0;
  double below = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double wanted = (double(i) + 0.5) / double(n) * count;
    while (at + 1 < buckets.size() && below + buckets[at].count <= wanted) below += buckets[at++].count;
    const double inside = std::clamp((wanted - below) / buckets[at].count, 0.0, 1.0);
    lengths.push_back(buckets[at].low * std::pow(buckets[at].high / buckets[at].low, std::pow(inside, lean)));
  }
  return lengths;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(values.size());
}

std::vector<std::int32_t> drawn_lengths(const MetricHistogram& histogram, std::size_t n,
                                        RandomStream& random) {
  const std::vector<Bucket> buckets = buckets_of(histogram);
  double low = std::log(1.0 / 64), high = std::log(64.0);
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    const double mean = mean_of(lengths_at(buckets, histogram.count, n, std::exp(middle)));
    (mean > histogram.mean() ? low : high) = middle;
  }
  std::vector<double> lengths = lengths_at(buckets, histogram.count, n, std::exp((low + high) / 2));
  for (std::size_t i = n; i > 1; --i)
    std::swap(lengths[i - 1], lengths[std::size_t(random.uniform() * double(i))]);
  std::vector<std::int32_t> tokens;
  for (const double length : lengths)
    tokens.push_back(std::int32_t(std::clamp(std::round(length), 1.0, double(kMaxRequestTokens))));
  return tokens;
}

}  // namespace

ObservedLoad observe_load(const std::filesystem::path& metrics, const std::filesystem::path& before,
                          std::optional<Seconds> window) {
  const MetricsText after = read_metrics(metrics);
  std::optional<MetricsText> earlier;
  if (!before.empty()) earlier = read_metrics(before);
  const MetricsText* then = earlier ? &*earlier : nullptr;
  const EngineMetrics& names = engine_of(after);
  if (then != nullptr && &engine_of(*then) != &names)
    throw InvalidInput(fmt::format("{}: is of another engine than {}", then->source, after.source));
  ObservedLoad load;
  load.engine = names.engine;
  load.model = after.model;
  set_window(load, after, then, window);
  load.prompt = grown_histogram(after, then, names.prompt);
  load.output = grown_histogram(after, then, names.output);
  load.ttft = grown_histogram(after, then, names.ttft);
  load.tpot = grown_histogram(after, then, names.tpot);
  load.e2el = grown_histogram(after, then, names.e2el);
  load.tpot_is_itl = names.tpot_is_itl;
  load.running = after.value(names.running);
  load.waiting = after.value(names.waiting);
  const double queries = grown(after, then, names.queries);
  load.hit_rate = queries > 0 ? std::min(grown(after, then, names.hits) / queries, 0.99) : 0;
  const double earlier_in_flight =
      then == nullptr ? 0 : then->value(names.running) + then->value(names.waiting);
  load.requests = load.e2el.count;
  load.rate = (load.requests + load.running + load.waiting - earlier_in_flight) / load.window.value();
  if (!(load.rate > 0))
    throw InvalidInput(fmt::format("{}: no request came in this time, expected a load", after.source));
  return load;
}

Workload load_workload(const ObservedLoad& load, double rate, std::int64_t requests, std::uint64_t seed) {
  RandomStream prompts(seed, "forecast_prompts"), outputs(seed, "forecast_outputs");
  const auto n = std::size_t(requests);
  const std::vector<std::int32_t> input = drawn_lengths(load.prompt, n, prompts);
  const std::vector<std::int32_t> output = drawn_lengths(load.output, n, outputs);
  Workload workload;
  workload.name = "observed";
  for (std::size_t i = 0; i < n; ++i)
    workload.requests.push_back({.arrival = {}, .input_tokens = input[i], .output_tokens = output[i]});
  set_poisson_arrivals(workload, rate, seed);
  if (load.hit_rate < 0.005) return workload;
  constexpr std::uint64_t kShared = 1;
  for (std::size_t i = 0; i < n; ++i) {
    workload.content_begin.push_back(std::uint32_t(workload.content.size()));
    const auto shared = std::int32_t(load.hit_rate * double(input[i]));
    if (shared > 0) workload.content.push_back({kShared, shared});
    workload.content.push_back({kShared + 1 + i, input[i] - shared});
  }
  workload.content_begin.push_back(std::uint32_t(workload.content.size()));
  return workload;
}

}  // namespace warploom
