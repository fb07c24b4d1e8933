#include "warploom/planner/service_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

std::vector<std::string> limit_names() {
  std::vector<std::string> names;
  for (const auto& metric : EnumNames<LatencyMetric>::kNames)
    for (const auto& statistic : EnumNames<LatencyStatistic>::kNames)
      names.push_back(SloLimit{metric.first, statistic.first, Seconds(1.0)}.name());
  return names;
}

// A time in ms above 0.
Seconds limit_from_text(std::string_view text, std::string_view entry, std::string_view field) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > 1e9)
    throw InvalidInput(
        fmt::format("{}: '{}' has the limit '{}', expected a time in ms above 0", field, entry, text));
  return milliseconds(value);
}

std::vector<std::string_view> entries_of(std::span<const std::string> texts) {
  std::vector<std::string_view> entries;
  for (std::string_view text : texts) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(", "), text.size());
      if (end > 0) entries.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  return entries;
}

const LatencySummary& summary_of(LatencyMetric metric, const ServingMetrics& metrics) {
  switch (metric) {
    case LatencyMetric::Ttft:
      return metrics.ttft;
    case LatencyMetric::Tpot:
      return metrics.tpot;
    case LatencyMetric::Itl:
      return metrics.itl;
    case LatencyMetric::E2el:
      return metrics.e2el;
  }
  return metrics.e2el;
}

}  // namespace

double fraction_of(LatencyStatistic statistic) {
  switch (statistic) {
    case LatencyStatistic::Mean:
    case LatencyStatistic::P50:
      return 0.5;
    case LatencyStatistic::P90:
      return 0.9;
    case LatencyStatistic::P95:
      return 0.95;
    case LatencyStatistic::P99:
      return 0.99;
  }
  return 0.5;
}

std::string SloLimit::name() const { return fmt::format("{}_{}_ms", name_of(metric), name_of(statistic)); }

std::vector<SloLimit> parse_limits(std::span<const std::string> texts) {
  const std::vector<std::string> names = limit_names();
  std::vector<SloLimit> limits;
  std::set<std::string> seen;
  for (const std::string_view entry : entries_of(texts)) {
    const std::size_t equals = entry.find('=');
    const std::string name(entry.substr(0, equals));
    const auto found = std::find(names.begin(), names.end(), name);
    if (equals == std::string_view::npos || found == names.end())
      throw InvalidInput(
          fmt::format("slo: '{}' is no limit, expected for example ttft_p95_ms=800 or tpot_p50_ms=40{}",
                      entry, did_you_mean(name, names)));
    if (!seen.insert(name).second)
      throw InvalidInput(fmt::format("slo: {} is given twice, expected one limit for it", name));
    const std::size_t place = std::size_t(found - names.begin());
    const std::size_t statistics = EnumNames<LatencyStatistic>::kNames.size();
    limits.push_back({EnumNames<LatencyMetric>::kNames[place / statistics].first,
                      EnumNames<LatencyStatistic>::kNames[place % statistics].first,
                      limit_from_text(entry.substr(equals + 1), entry, "slo")});
  }
  return limits;
}

Slo parse_goodput_limits(std::span<const std::string> texts) {
  Slo slo;
  for (const std::string_view entry : entries_of(texts)) {
    const std::size_t colon = entry.find(':');
    const std::string_view name = entry.substr(0, colon);
    std::optional<Seconds>* place = name == "ttft"   ? &slo.ttft
                                    : name == "tpot" ? &slo.tpot
                                    : name == "e2el" ? &slo.e2el
                                                     : nullptr;
    if (colon == std::string_view::npos || place == nullptr)
      throw InvalidInput(
          fmt::format("goodput: '{}' is no limit, expected ttft:MS, tpot:MS or e2el:MS", entry));
    if (*place)
      throw InvalidInput(fmt::format("goodput: {} is given twice, expected one limit for it", name));
    *place = limit_from_text(entry.substr(colon + 1), entry, "goodput");
  }
  return slo;
}

Seconds figure_of(const SloLimit& limit, const ServingMetrics& metrics) {
  const LatencySummary& summary = summary_of(limit.metric, metrics);
  switch (limit.statistic) {
    case LatencyStatistic::Mean:
      return summary.mean;
    case LatencyStatistic::P50:
      return summary.p50;
    case LatencyStatistic::P90:
      return summary.p90;
    case LatencyStatistic::P95:
      return summary.p95;
    case LatencyStatistic::P99:
      return summary.p99;
  }
  return summary.mean;
}

namespace {

constexpr double kLeastShare = 1e-6;  // of requests; keeps the ratio finite

// `beyond` standard errors are added to what may not be exceeded and taken from what must be reached.
std::vector<LimitUse> uses_with(const ServiceLevel& level, const RunFigures& figures, double beyond) {
  std::vector<LimitUse> uses;
  const auto error_of = [&](std::size_t i) { return i < figures.errors.size() ? figures.errors[i] : 0.0; };
  const double wide = figures.batches > 1 ? student_t(kNormal995, std::size_t(figures.batches - 1)) : 0;
  const auto add = [&](std::string name, double figure, double limit, double error, bool at_most) {
    const double end = figure + (at_most ? 1 : -1) * beyond * error;
    const double use = at_most ? end / limit : limit / std::max(kLeastShare, end);
    uses.push_back(
        {std::move(name), end, limit, use, std::max(0.0, figure - wide * error), figure + wide * error});
    if (!(error > 0)) uses.back().low = uses.back().high = 0;
  };
  for (const SloLimit& limit : level.limits)
    add(limit.name(), to_milliseconds(figure_of(limit, figures.metrics)), to_milliseconds(limit.limit),
        1e3 * error_of(uses.size()), true);
  if (level.has_goodput())
    add("goodput_share", figures.goodput_share, level.goodput_share, error_of(uses.size()), false);
  for (std::size_t i = 0; i < level.classes.size() && i < figures.class_shares.size(); ++i)
    add(fmt::format("goodput_share of {}", level.classes[i].name), figures.class_shares[i],
        level.goodput_share, error_of(uses.size()), false);
  if (falls_behind(figures)) {
    constexpr double kJustMissed = 1.001;
    const double growth = std::max(figures.length.growth_high, figures.length.growth);
    uses.push_back({std::string(kBacklogGrowth), growth, kSteadyGrowth,
                    std::max(kJustMissed, growth / kSteadyGrowth), figures.length.growth_low, growth});
  }
  return uses;
}

}  // namespace

bool falls_behind(const RunFigures& figures) {
  return figures.length.steadiness == Steadiness::Growing ||
         (!figures.length.finite && figures.length.steadiness != Steadiness::Steady);
}

std::vector<LimitUse> limit_uses(const ServiceLevel& level, const RunFigures& figures) {
  return uses_with(level, figures, 0);
}

std::vector<LimitUse> sure_limit_uses(const ServiceLevel& level, const RunFigures& figures) {
  const double beyond = figures.batches > 1 ? student_t(kNormal90, std::size_t(figures.batches - 1)) : 0;
  return uses_with(level, figures, beyond);
}

LimitUse binding_limit(const ServiceLevel& level, const RunFigures& figures) {
  LimitUse binding;
  for (LimitUse& use : limit_uses(level, figures))
    if (use.use > binding.use) binding = std::move(use);
  return binding;
}

}  // namespace warploom
