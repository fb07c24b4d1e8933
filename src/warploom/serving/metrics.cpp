#include "warploom/serving/metrics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "warploom/base/statistics.h"

namespace warploom {
namespace {

// Bins of gaps are a thousandth of an octave wide: the octave and the leading bits of the nanoseconds.
constexpr int kBinBits = 10;
constexpr double kFirstBin = 1024, kLastBin = 8.8e12;  // ns; gaps outside share the first and the last
std::size_t bin_of(double nanoseconds) {
  const double within = std::clamp(nanoseconds, kFirstBin, kLastBin);
  return (std::bit_cast<std::uint64_t>(within) - std::bit_cast<std::uint64_t>(kFirstBin)) >> (52 - kBinBits);
}
// Lower edge [ns].
double edge_of(std::size_t bin) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(kFirstBin) +
                               (std::uint64_t(bin) << (52 - kBinBits)));
}

using SummaryMember = LatencySummary ServingMetrics::*;
using StatisticMember = Seconds LatencySummary::*;

Field statistic_field(std::string name, SummaryMember summary, StatisticMember statistic) {
  Field field;
  field.name = std::move(name);
  field.kind = FieldKind::Real;
  field.options = {.unit = "ms", .min = 0, .scale = 1e-3};
  field.get = [=](const void* object) -> FieldValue {
    return (static_cast<const ServingMetrics*>(object)->*summary.*statistic).value() * 1e3;
  };
  field.set = [=](void* object, const FieldValue& value) {
    if (const double* ms = std::get_if<double>(&value)) {
      static_cast<ServingMetrics*>(object)->*summary.*statistic = milliseconds(*ms);
    }
  };
  return field;
}

}  // namespace

FieldTable ServingMetrics::describe() {
  using M = ServingMetrics;
  FieldTable table =
      FieldList<M>("serving_metrics")
          .add("duration", &M::duration, {.unit = "s", .doc = "from the first arrival to the last token"})
          .add("completed", &M::completed, {.doc = "requests finished"})
          .add("failed", &M::failed, {.doc = "requests not finished when the run was stopped"})
          .add("total_input_tokens", &M::total_input_tokens)
          .add("total_output_tokens", &M::total_output_tokens)
          .add("request_throughput", &M::request_throughput, {.unit = "requests/s"})
          .add("output_throughput", &M::output_throughput, {.unit = "tokens/s"})
          .add("total_token_throughput", &M::total_token_throughput, {.unit = "tokens/s"})
          .add("max_output_tokens_per_s", &M::max_output_tokens_per_s, {.unit = "tokens/s"})
          .add("max_concurrent_requests", &M::max_concurrent_requests)
          .table();
  const std::array<std::pair<const char*, SummaryMember>, 5> summaries{{{"ttft", &M::ttft},
                                                                        {"engine_ttft", &M::engine_ttft},
                                                                        {"tpot", &M::tpot},
                                                                        {"itl", &M::itl},
                                                                        {"e2el", &M::e2el}}};
  using L = LatencySummary;
  const std::array<std::pair<const char*, StatisticMember>, 7> statistics{{{"mean", &L::mean},
                                                                           {"median", &L::median},
                                                                           {"std", &L::std},
                                                                           {"p50", &L::p50},
                                                                           {"p90", &L::p90},
                                                                           {"p95", &L::p95},
                                                                           {"p99", &L::p99}}};
  for (const auto& [what, summary] : summaries) {
    for (const auto& [which, statistic] : statistics) {
      table.fields.push_back(statistic_field(std::string(which) + "_" + what + "_ms", summary, statistic));
    }
  }
  return table;
}

FieldTable Slo::describe() {
  const auto limit = [](std::string_view doc) {
    return FieldOptions{.unit = "ms", .doc = doc, .min = 0, .scale = 1e-3};
  };
  return FieldList<Slo>("slo")
      .add("ttft", &Slo::ttft, limit("longest time to the first token"))
      .add("tpot", &Slo::tpot, limit("longest time per output token after the first"))
      .add("e2el", &Slo::e2el, limit("longest time to the last token"))
      .table();
}

LatencySummary summarize(std::vector<double> seconds) {
  LatencySummary summary;
  if (seconds.empty()) return summary;
  const auto at = [&](double fraction) { return Seconds(quantile(seconds, fraction)); };
  summary.mean = Seconds(mean(seconds));
  summary.std = Seconds(standard_deviation(seconds));
  summary.median = summary.p50 = at(0.5);
  summary.p90 = at(0.9);
  summary.p95 = at(0.95);
  summary.p99 = at(0.99);
  return summary;
}

LatencyHistogram::LatencyHistogram() : bins_(bin_of(kLastBin) + 1, 0) {}

void LatencyHistogram::add(SimDuration sample, std::int64_t count) {
  const double nanoseconds = double(sample.nanoseconds());
  bins_[bin_of(nanoseconds)] += count;
  count_ += count;
  const double s = nanoseconds * 1e-9;
  sum_ += s * double(count);
  sum_of_squares_ += s * s * double(count);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  sum_of_squares_ += other.sum_of_squares_;
}

double LatencyHistogram::quantile(double fraction) const {
  const double rank = fraction * double(count_ - 1);
  std::int64_t below = 0;
  std::size_t bin = 0;
  while (bin + 1 < bins_.size() && double(below + bins_[bin]) <= rank) below += bins_[bin++];
  return 0.5 * (edge_of(bin) + edge_of(bin + 1)) * 1e-9;
}

LatencySummary LatencyHistogram::summary() const {
  LatencySummary summary;
  if (count_ == 0) return summary;
  const double average = sum_ / double(count_);
  summary.mean = Seconds(average);
  summary.std = Seconds(std::sqrt(std::max(0.0, sum_of_squares_ / double(count_) - average * average)));
  summary.median = summary.p50 = Seconds(quantile(0.5));
  summary.p90 = Seconds(quantile(0.9));
  summary.p95 = Seconds(quantile(0.95));
  summary.p99 = Seconds(quantile(0.99));
  return summary;
}

std::int64_t requests_meeting(const Slo& slo, std::span<const RequestRecord> records) {
  std::int64_t met = 0;
  for (const RequestRecord& record : records) {
    if (!record.completed()) continue;
    const Seconds tpot = record.tpot();
    const bool good = (!slo.ttft || record.ttft().seconds() <= *slo.ttft) &&
                      (!slo.tpot || tpot <= *slo.tpot) && (!slo.e2el || record.e2el().seconds() <= *slo.e2el);
    met += good ? 1 : 0;
  }
  return met;
}

ServingMetrics metrics_of(std::span<const RequestRecord> records, const LatencyHistogram& itl) {
  ServingMetrics metrics;
  std::vector<double> ttft, engine_ttft, tpot, e2el;
  ttft.reserve(records.size());
  engine_ttft.reserve(records.size());
  tpot.reserve(records.size());
  e2el.reserve(records.size());
  SimTime first(std::numeric_limits<std::int64_t>::max()), last;
  for (const RequestRecord& record : records) {
    if (record.replica >= 0) first = std::min(first, record.arrival);
    if (record.tokens_emitted > 0) last = std::max(last, record.last_token);
    if (!record.completed()) {
      ++metrics.failed;
      continue;
    }
    ++metrics.completed;
    metrics.total_input_tokens += record.input_tokens;
    metrics.total_output_tokens += record.output_tokens;
    ttft.push_back(record.ttft().seconds().value());
    engine_ttft.push_back(record.engine_ttft().seconds().value());
    e2el.push_back(record.e2el().seconds().value());
    if (record.output_tokens > 1) tpot.push_back(record.tpot().value());
  }
  if (last > first) {
    metrics.duration = (last - first).seconds();
    const double seconds = metrics.duration.value();
    metrics.request_throughput = double(metrics.completed) / seconds;
    metrics.output_throughput = double(metrics.total_output_tokens) / seconds;
    metrics.total_token_throughput =
        double(metrics.total_input_tokens + metrics.total_output_tokens) / seconds;
  }
  metrics.ttft = summarize(std::move(ttft));
  metrics.engine_ttft = summarize(std::move(engine_ttft));
  metrics.tpot = summarize(std::move(tpot));
  metrics.e2el = summarize(std::move(e2el));
  metrics.itl = itl.summary();
  return metrics;
}

}  // namespace warploom
