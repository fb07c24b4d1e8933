#include "warploom/steps/step_rule_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/hardware/record_version.h"
#include "warploom/kernels/kernel_hints.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_step_rules";
constexpr std::int64_t kVersion = 1;
constexpr std::string_view kAnyEngine = "any";

struct FileRecord {
  std::string name, title, engine, from_release, to_release;
  std::vector<std::string> gpus;
  static FieldTable describe() {
    using R = FileRecord;
    return FieldList<R>("step_rules")
        .add("name", &R::name, {.doc = "that of the file", .required = true})
        .add("title", &R::title, {.doc = "one line for people", .required = true})
        .add("engine", &R::engine, {.doc = "whose steps; any: of no engine alone", .required = true})
        .add("from_release", &R::from_release, {.doc = "the oldest release; empty: every release"})
        .add("to_release", &R::to_release, {.doc = "the newest, with all of its patches"})
        .add("gpus", &R::gpus, {.doc = "that the steps ran on; none: chosen, not fitted", .required = true})
        .table();
  }
};

struct ConstantRecord {
  double value = 0;
  std::string unit, source;
  static FieldTable describe() {
    using R = ConstantRecord;
    return FieldList<R>("constant")
        .add("value", &R::value, {.required = true})
        .add("unit", &R::unit, {.required = true})
        .add("source", &R::source, {.required = true})
        .table();
  }
};

struct IntervalRecord {
  double low = 0, high = 0;
  std::string source;
  static FieldTable describe() {
    using R = IntervalRecord;
    return FieldList<R>("interval")
        .add("low", &R::low, {.unit = "ln", .min = -10, .max = 0, .required = true})
        .add("high", &R::high, {.unit = "ln", .min = 0, .max = 10, .required = true})
        .add("source", &R::source, {.required = true})
        .table();
  }
};

struct SizeRecord {
  std::string name;
  double low = 0, high = 0;
  static FieldTable describe() {
    using R = SizeRecord;
    return FieldList<R>("size")
        .add("name", &R::name, {.required = true})
        .add("low", &R::low, {.min = 1, .max = 1e15, .required = true})
        .add("high", &R::high, {.min = 1, .max = 1e15, .required = true})
        .table();
  }
};

struct RuleRecord {
  RuleKind rule = RuleKind::Norms;
  std::vector<SizeRecord> sizes;
  std::optional<IntervalRecord> interval;
  std::vector<std::string> judged_gpus;
  Elsewhere elsewhere;
  static FieldTable describe() {
    using R = RuleRecord;
    return FieldList<R>("rule")
        .add("rule", &R::rule, {.required = true})
        .add("sizes", &R::sizes, {.doc = "that the steps had"})
        .add("interval", &R::interval, {.doc = "ln(time / rule), 10th and 90th percentile"})
        .add("judged_gpus", &R::judged_gpus, {.doc = "that the interval was judged on"})
        .add("elsewhere", &R::elsewhere, {.required = true})
        .table();
  }
};

void check_source(const std::string& source, std::string_view where) {
  if (source.empty())
    throw InvalidInput(
        fmt::format("{}: 'source' is empty, expected what it was measured or fitted on", where));
}

void check_gpus(const std::vector<std::string>& names, const GpuCatalog& gpus, std::string_view key,
                std::string_view where) {
  for (const std::string& name : names) {
    const GpuSpec* gpu = gpus.find(name);
    if (gpu != nullptr && gpu->name == name) continue;
    throw InvalidInput(fmt::format("{}: '{}' has '{}', expected the name of a known GPU{}", where, key, name,
                                   did_you_mean(name, gpus.names())));
  }
}

std::string engine_named(const std::string& name, std::string_view where) {
  if (name == kAnyEngine) return {};
  if (is_engine(name)) return name;
  std::vector<std::string> known = names_of<Engine>();
  known.emplace_back(kAnyEngine);
  throw InvalidInput(fmt::format("{}: 'engine' is '{}', expected one of {}{}", where, name,
                                 fmt::join(known, ", "), did_you_mean(name, known)));
}

// "constants" as a plain object of numbers, after units and sources were checked against the kind's table.
Json plain_constants(const Json& rule, const FieldTable& table, std::string_view where) {
  Json plain = Json::object();
  const auto found = rule.find("constants");
  if (found == rule.end()) return plain;
  if (!found->is_object())
    throw InvalidInput(
        fmt::format("{}: 'constants' is no JSON object, expected the rule's constants", where));
  for (const auto& [name, entry] : found->items()) {
    const std::string place = fmt::format("{}: constants.{}", where, name);
    const Field* field = table.find(name);
    if (field == nullptr) {
      std::vector<std::string> known;
      for (const Field& each : table.fields) known.push_back(each.name);
      throw InvalidInput(fmt::format("{}: is no constant of this rule, expected one of {}{}", place,
                                     fmt::join(known, ", "), did_you_mean(name, known)));
    }
    const auto constant = object_from_json<ConstantRecord>(entry, place);
    check_source(constant.source, place);
    if (constant.unit != field->options.unit)
      throw InvalidInput(
          fmt::format("{}: 'unit' is '{}', expected '{}'", place, constant.unit, field->options.unit));
    plain[name] = constant.value;
  }
  return plain;
}

RuleConstants read_constants(const Json& rule, RuleConstants empty, std::string_view where) {
  std::visit(
      [&]<class C>(C& constants) {
        const FieldTable& table = fields_of<C>();
        read_fields(plain_constants(rule, table, where), table, &constants,
                    fmt::format("{}: constants", where));
      },
      empty);
  return empty;
}

// In the order of the form; every one has to be there.
void read_sizes(const RuleRecord& record, const RuleForm& form, StepRule& rule, std::string_view where) {
  for (const SizeRecord& size : record.sizes)
    if (std::find(form.sizes.begin(), form.sizes.end(), size.name) == form.sizes.end() ||
        size.low > size.high)
      throw InvalidInput(fmt::format("{}: sizes has {} from {} to {}, expected {} with the least first",
                                     where, size.name, size.low, size.high, fmt::join(form.sizes, ", ")));
  for (std::size_t i = 0; i < form.sizes.size(); ++i) {
    const auto found = std::find_if(record.sizes.begin(), record.sizes.end(),
                                    [&](const SizeRecord& size) { return size.name == form.sizes[i]; });
    if (found == record.sizes.end())
      throw InvalidInput(fmt::format("{}: sizes lacks '{}', this rule needs it", where, form.sizes[i]));
    rule.sizes[i] = {found->low, found->high};
  }
}

void read_interval(const RuleRecord& record, const RuleForm& form, StepRule& rule, std::string_view where) {
  if (form.has_interval != record.interval.has_value())
    throw InvalidInput(fmt::format("{}: 'interval' is {}", where,
                                   form.has_interval ? "missing, this rule needs it"
                                                     : "not of this rule, which changes measured prices"));
  if (!record.interval) return;
  check_source(record.interval->source, fmt::format("{}: interval", where));
  rule.low = record.interval->low;
  rule.high = record.interval->high;
}

StepRule read_rule(const Json& document, StepRule rule, std::string_view where, const GpuCatalog& gpus) {
  if (!document.is_object()) throw InvalidInput(fmt::format("{}: is not a JSON object", where));
  Json rest = document;
  rest.erase("constants");
  rest.erase("fit");  // what tools/fit_steps repeats
  const auto record = object_from_json<RuleRecord>(rest, where);
  const std::string place = fmt::format("{} ({})", where, name_of(record.rule));
  check_source(record.elsewhere.source, fmt::format("{}: elsewhere", place));
  check_gpus(record.judged_gpus, gpus, "judged_gpus", place);
  const RuleForm form = form_of(record.rule);
  rule.kind = record.rule;
  rule.constants = read_constants(document, form.constants, place);
  rule.judged_gpus = record.judged_gpus;
  rule.elsewhere = record.elsewhere;
  read_sizes(record, form, rule, place);
  read_interval(record, form, rule, place);
  return rule;
}

// What all rules of a file have in common.
StepRule read_head(const Json& document, std::string_view where, const GpuCatalog& gpus) {
  Json head = document;
  head.erase("rules");
  const auto record = object_from_json<FileRecord>(head, where);
  check_gpus(record.gpus, gpus, "gpus", where);
  StepRule rule;
  rule.file = where;
  rule.engine = engine_named(record.engine, where);
  rule.gpus = record.gpus;
  if (record.from_release.empty() != record.to_release.empty())
    throw InvalidInput(fmt::format("{}: has one of 'from_release' and 'to_release', expected both", where));
  if (!record.from_release.empty())
    rule.releases = ReleaseRange(record.from_release, record.to_release, where);
  return rule;
}

}  // namespace

std::vector<StepRule> step_rules_from_json(const Json& document, std::string_view where,
                                           const GpuCatalog& gpus) {
  check_record_version(document, kSchema, kVersion, where);
  const StepRule head = read_head(document, where, gpus);
  const auto list = document.find("rules");
  if (list == document.end() || !list->is_array() || list->empty())
    throw InvalidInput(fmt::format("{}: 'rules' is missing or empty, expected a list of rules", where));
  std::vector<StepRule> rules;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string place = fmt::format("{}: rules[{}]", where, i);
    StepRule rule = read_rule((*list)[i], head, place, gpus);
    for (const StepRule& earlier : rules)
      if (earlier.kind == rule.kind)
        throw InvalidInput(
            fmt::format("{}: '{}' stands twice, expected each rule once", place, name_of(rule.kind)));
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace warploom
