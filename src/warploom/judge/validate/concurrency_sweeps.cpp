#include "warploom/judge/validate/concurrency_sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/app/data/benchmark_file.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::string_view kSpeculationFile = "concurrency_speculation.json";

// What the rows of a sweep share, in words.
std::string sweep_name(const ConcurrencyTruth& row) {
  std::string text =
      fmt::format("{} {} {} {} {}/{} tp {}", row.backend, row.version.empty() ? "?" : row.version, row.model,
                  row.system, row.input_tokens, row.output_tokens, row.place.tp.value_or(1));
  if (row.place.attention_dp.value_or(1) > 1) text += fmt::format(" dp {}", *row.place.attention_dp);
  if (row.place.moe_ep.value_or(1) > 1) text += fmt::format(" ep {}", *row.place.moe_ep);
  return text;
}

std::string sweep_key(const ConcurrencyTruth& row) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", sweep_name(row), row.dump, row.image, row.precision,
                     row.gemm_quantization, row.moe_quantization, row.place.pp.value_or(1),
                     row.place.moe_tp.value_or(1));
}

double ratio_at_few(const ConcurrencySweep& sweep) {
  return (sweep.points[0].ratio + sweep.points[1].ratio) / 2;
}

}  // namespace

std::map<std::string, ConcurrencySweep> sweeps_of(const std::vector<SortedRow>& rows) {
  std::map<std::string, ConcurrencySweep> sweeps;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ConcurrencyTruth& row = rows[i].truth;
    if (rows[i].excluded_by >= 0 || row.disaggregated()) continue;
    ConcurrencySweep& sweep = sweeps[sweep_key(row)];
    sweep.name = sweep_name(row);
    sweep.points.push_back(
        {i, double(*row.concurrency) / double(row.place.attention_dp.value_or(1)), *row.concurrency, 0});
  }
  for (auto& [key, sweep] : sweeps)
    std::stable_sort(sweep.points.begin(), sweep.points.end(),
                     [](const SweepPoint& a, const SweepPoint& b) { return a.requests < b.requests; });
  return sweeps;
}

bool SpeculationRule::finds(const ConcurrencySweep& sweep) const {
  if (std::ssize(sweep.points) < std::max<std::int64_t>(fewest_rows, 2)) return false;
  if (sweep.points.front().requests > few_requests) return false;
  if (std::any_of(sweep.points.begin(), sweep.points.end(), [](const auto& p) { return p.ratio <= 0; }))
    return false;
  const double few = ratio_at_few(sweep);
  return few <= most_ratio && sweep.points.back().ratio >= least_rise * few;
}

bool SpeculationRule::may_find(const ConcurrencySweep& sweep) const {
  // The ratio rises with the requests, so what is above it with few requests decides.
  constexpr double kDoubt = 1.15;  // one point beside the mean of two
  if (std::ssize(sweep.points) < std::max<std::int64_t>(fewest_rows, 2)) return false;
  if (sweep.points.front().requests > few_requests) return false;
  return std::any_of(sweep.points.begin(), sweep.points.end(), [&](const SweepPoint& point) {
    return point.ratio > 0 && point.ratio <= most_ratio * kDoubt;
  });
}

SpeculationRule speculation_rule_from_json(const Json& document) {
  try {
    check_schema(document, "warploom_concurrency_speculation", kSpeculationFile);
    const Json& rule = document.at("rule");
    check_keys(rule,
               {"fewest_rows", "few_requests", "most_ratio", "least_rise", "drafts", "reason", "source"},
               kSpeculationFile);
    return {.fewest_rows = rule.at("fewest_rows").get<std::int64_t>(),
            .few_requests = rule.at("few_requests").get<double>(),
            .most_ratio = rule.at("most_ratio").get<double>(),
            .least_rise = rule.at("least_rise").get<double>(),
            .drafts = rule.at("drafts").get<std::vector<std::int64_t>>(),
            .reason = text_of(rule, "reason", kSpeculationFile),
            .source = text_of(rule, "source", kSpeculationFile)};
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("{}: {}", kSpeculationFile, error.what()));
  }
}

const SpeculationRule& speculation_rule() {
  static const SpeculationRule rule = speculation_rule_from_json(benchmark_file(kSpeculationFile));
  return rule;
}

}  // namespace warploom
