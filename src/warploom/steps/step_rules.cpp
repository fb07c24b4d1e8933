#include "warploom/steps/step_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/steps/step_rule_file.h"
#include "warploom_embedded/step_rules.h"

namespace warploom {
namespace {

// More is nearer.
struct Nearness {
  enum class Of { OtherEngine, AnyEngine, OwnEngine } engine = Of::OtherEngine;
  bool own_gpu = false, own_release = false;
  auto operator<=>(const Nearness&) const = default;
};

std::string_view asked_engine(const KernelContext& context) {
  return context.framework.empty() ? EnumNames<Engine>::kNames.front().second : context.framework;
}

Nearness nearness_of(const StepRule& rule, const GpuSpec& gpu, const KernelContext& context) {
  using Of = Nearness::Of;
  const bool own = rule.is_of(asked_engine(context));
  return {.engine = own                   ? Of::OwnEngine
                    : rule.engine.empty() ? Of::AnyEngine
                                          : Of::OtherEngine,
          .own_gpu = rule.ran_on(gpu),
          .own_release = own && rule.runs_in(context.version)};
}

bool is_asked(const StepRule& rule, const Nearness& near) {
  return (near.engine != Nearness::Of::OtherEngine || rule.elsewhere.other_engines) &&
         (near.own_gpu || rule.elsewhere.other_gpus);
}

bool judged_on(const StepRule& rule, const GpuSpec& gpu) {
  return std::find(rule.judged_gpus.begin(), rule.judged_gpus.end(), gpu.name) != rule.judged_gpus.end();
}

}  // namespace

StepRules::StepRules(std::span<const EmbeddedFile> files) {
  const GpuCatalog gpus;
  for (const EmbeddedFile& file : files)
    for (StepRule& rule : step_rules_from_json(parse_json(file.contents, file.name), file.name, gpus))
      add(std::move(rule));
}

const StepRules& StepRules::shipped() {
  static const StepRules rules(embedded::step_rules());
  return rules;
}

StepRules StepRules::without(std::span<const std::string> gpus) const {
  const auto is_hidden = [&](const std::string& gpu) {
    return std::find(gpus.begin(), gpus.end(), gpu) != gpus.end();
  };
  StepRules left;
  for (const std::vector<StepRule>& of_kind : rules_)
    for (StepRule rule : of_kind) {
      if (std::any_of(rule.gpus.begin(), rule.gpus.end(), is_hidden)) continue;
      std::erase_if(rule.judged_gpus, is_hidden);
      left.add(std::move(rule));
    }
  return left;
}

void StepRules::add(StepRule rule) {
  std::vector<StepRule>& of_kind = rules_[std::size_t(rule.kind)];
  for (const StepRule& other : of_kind)
    if (other.engine == rule.engine && other.releases.overlaps(rule.releases) &&
        (other.gpus == rule.gpus ||
         std::find_first_of(other.gpus.begin(), other.gpus.end(), rule.gpus.begin(), rule.gpus.end()) !=
             other.gpus.end()))
      throw InvalidInput(fmt::format("{}: has the rule '{}' of the same engine, release and GPU as {}",
                                     rule.file, name_of(rule.kind), other.file));
  of_kind.push_back(std::move(rule));
}

RuleUse StepRules::find(RuleKind kind, const GpuSpec& gpu, const KernelContext& context) const {
  const StepRule* best = nullptr;
  Nearness nearest;
  for (const StepRule& rule : rules_[std::size_t(kind)]) {
    const Nearness near = nearness_of(rule, gpu, context);
    if (!is_asked(rule, near) || (best != nullptr && near <= nearest)) continue;
    best = &rule;
    nearest = near;
  }
  const bool fitted = nearest.own_gpu && nearest.own_release;
  return {.rule = best,
          .own_release = nearest.own_release,
          .fitted = fitted,
          .judged = fitted || (best != nullptr && nearest.own_release && judged_on(*best, gpu))};
}

RuleUse StepRules::find_own(RuleKind kind, const GpuSpec& gpu, const KernelContext& context) const {
  const RuleUse use = find(kind, gpu, context);
  return use && use.rule->is_of(asked_engine(context)) ? use : RuleUse{};
}

}  // namespace warploom
