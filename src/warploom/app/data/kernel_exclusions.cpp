#include "warploom/app/data/kernel_exclusions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/benchmark_file.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::string_view kFile = "kernel_exclusions.json";

}  // namespace

std::vector<KernelExclusion> kernel_exclusions_from_json(const Json& document) {
  check_schema(document, "warploom_kernel_exclusions", kFile);
  std::vector<KernelExclusion> rules;
  try {
    for (const Json& entry : document.at("rules")) {
      KernelExclusion rule;
      rule.rule = text_of(entry, "rule", kFile);
      const std::string here = fmt::format("{}: rule '{}'", kFile, rule.rule);
      check_keys(entry, {"rule", "value", "also", "counted_as", "applies_to", "reason", "source"}, here);
      rule.reason = text_of(entry, "reason", here);
      rule.source = text_of(entry, "source", here);
      rule.counted_as = entry.value("counted_as", "");
      if (entry.contains("value")) rule.value = entry["value"].get<double>();
      rule.leave_out = entry.value("applies_to", "") == "leave_out";
      rules.push_back(std::move(rule));
    }
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("{}: {}", kFile, error.what()));
  }
  return rules;
}

const std::vector<KernelExclusion>& kernel_exclusions() {
  static const std::vector<KernelExclusion> rules = kernel_exclusions_from_json(benchmark_file(kFile));
  return rules;
}

const KernelExclusion& kernel_exclusion(std::string_view rule) {
  for (const KernelExclusion& entry : kernel_exclusions())
    if (entry.rule == rule) return entry;
  throw NotFound(fmt::format("{}: has no rule '{}'", kFile, rule));
}

}  // namespace warploom
