#include "warploom/judge/validate/concurrency_exclusions.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "warploom/app/data/benchmark_file.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::string_view kExclusions = "concurrency_exclusions.json", kFits = "concurrency_fits.json";

ExclusionRule exclusion_rule(const Json& entry, std::string_view where, const NamedConditions& sets) {
  ExclusionRule rule;
  rule.name = text_of(entry, "name", where);
  const std::string here = fmt::format("{}: rule '{}'", where, rule.name);
  check_keys(entry, {"name", "kind", "judges", "when", "repeats", "rounding_ms", "reason", "source"}, here);
  rule.kind = parse_enum<ExclusionKind>(text_of(entry, "kind", here), here);
  rule.reason = text_of(entry, "reason", here);
  rule.source = text_of(entry, "source", here);
  const std::string judges = entry.value("judges", "nothing");
  if (judges != "nothing" && judges != "tpot")
    throw InvalidInput(fmt::format("{}: 'judges' is '{}', expected nothing or tpot", here, judges));
  rule.ttft_alone = judges == "tpot";
  if (entry.contains("when") == entry.contains("repeats"))
    throw InvalidInput(fmt::format("{}: expected either 'when' or 'repeats'", here));
  if (entry.contains("when")) {
    rule.when = parse_condition(entry["when"], here, sets);
    return rule;
  }
  const std::string repeats = text_of(entry, "repeats", here);
  if (repeats != "exactly" && repeats != "rounded")
    throw InvalidInput(fmt::format("{}: 'repeats' is '{}', expected exactly or rounded", here, repeats));
  rule.repeats = repeats == "exactly" ? RepeatTest::Exact : RepeatTest::Rounded;
  rule.rounding_ms = entry.value("rounding_ms", 0.0);
  return rule;
}

FitRule fit_rule(const Json& entry, std::string_view where, const NamedConditions& sets) {
  FitRule rule;
  rule.name = text_of(entry, "name", where);
  const std::string here = fmt::format("{}: fit '{}'", where, rule.name);
  check_keys(entry, {"name", "fitted", "figures", "everywhere", "when", "source"}, here);
  rule.fitted = text_of(entry, "fitted", here);
  rule.source = text_of(entry, "source", here);
  rule.everywhere = entry.value("everywhere", false);
  for (const Json& figure : entry.at("figures")) {
    rule.ttft |= figure == "ttft";
    rule.tpot |= figure == "tpot";
  }
  if (!rule.ttft && !rule.tpot)
    throw InvalidInput(fmt::format("{}: 'figures' names neither ttft nor tpot", here));
  rule.when = parse_condition(entry.at("when"), here, sets);
  return rule;
}

// Everything that makes two rows one configuration.
std::string configuration_key(const ConcurrencyTruth& row) {
  std::string key = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", row.backend, row.model, row.system, row.precision,
                                row.mode, row.input_tokens, row.output_tokens, row.concurrency.value_or(1));
  const auto add = [&](const StatedPlace& place) {
    for (const auto& value : {place.tp, place.pp, place.attention_dp, place.moe_tp, place.moe_ep})
      key += fmt::format("|{}", value.value_or(1));
  };
  add(row.place);
  if (!row.disaggregated()) return key;
  for (const StatedPool* pool : {&row.prefill, &row.decode}) {
    key += fmt::format("|{}", pool->workers.value_or(1));
    add(pool->place);
  }
  return key;
}

// Remembers the rows it has seen.
class Repeats {
 public:
  bool seen(const ConcurrencyTruth& row, const ExclusionRule& rule) {
    if (rule.repeats == RepeatTest::Exact) return !contents_.insert(row.content_hash).second;
    auto& figures = figures_[configuration_key(row)];
    for (const auto& [ttft, tpot] : figures)
      if (std::abs(ttft - *row.ttft) < rule.rounding_ms && std::abs(tpot - *row.tpot) < rule.rounding_ms)
        return true;
    figures.emplace_back(*row.ttft, *row.tpot);
    return false;
  }

 private:
  std::unordered_set<std::uint64_t> contents_;
  std::unordered_map<std::string, std::vector<std::pair<double, double>>> figures_;
};

}  // namespace

ConcurrencyRules concurrency_rules_from_json(const Json& exclusions, const Json& fits) {
  ConcurrencyRules rules;
  try {
    check_schema(exclusions, "warploom_concurrency_exclusions", kExclusions);
    const NamedConditions sets = parse_sets(exclusions, kExclusions);
    for (const Json& entry : exclusions.at("rules"))
      rules.exclusions.push_back(exclusion_rule(entry, kExclusions, sets));
    rules.corrections = text_of(exclusions, "corrections", kExclusions);
    check_schema(fits, "warploom_concurrency_fits", kFits);
    const NamedConditions fit_sets = parse_sets(fits, kFits);
    for (const Json& entry : fits.at("fits")) rules.fits.push_back(fit_rule(entry, kFits, fit_sets));
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("rules of benchmarks: {}", error.what()));
  }
  return rules;
}

const ConcurrencyRules& concurrency_rules() {
  static const ConcurrencyRules rules =
      concurrency_rules_from_json(benchmark_file(kExclusions), benchmark_file(kFits));
  return rules;
}

std::vector<SortedRow> sort_rows(std::vector<ConcurrencyTruth> rows, const ConcurrencyRules& rules) {
  std::vector<SortedRow> sorted;
  const std::vector<bool> corrected = undo_products(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    sorted.push_back({.truth = std::move(rows[i]), .corrected = corrected[i]});
  for (std::size_t r = 0; r < rules.exclusions.size(); ++r) {
    const ExclusionRule& rule = rules.exclusions[r];
    Repeats repeats;
    for (SortedRow& row : sorted) {
      if (row.excluded_by >= 0) continue;
      const bool matches = rule.when ? rule.when(row.truth) : repeats.seen(row.truth, rule);
      if (matches) (rule.ttft_alone ? row.ttft_excluded_by : row.excluded_by) = int(r);
    }
  }
  return sorted;
}

}  // namespace warploom
