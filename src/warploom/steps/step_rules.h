// All rules of data/steps, and which of them speaks for a question.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "warploom/base/embedded_file.h"
#include "warploom/steps/step_rule.h"

namespace warploom {

class StepRules {
 public:
  // Throws as step_rules_from_json does, and InvalidInput where two files hold a rule of one kind, engine,
  // release and GPU.
  explicit StepRules(std::span<const EmbeddedFile> files);
  // These without what steps of the GPUs named (canonical) have shown: rules that were fitted on one of them
  // are gone, and no interval was judged there. Rules of no GPU, which were chosen, stay.
  StepRules without(std::span<const std::string> gpus) const;
  // Those that are linked into the program, read once a process.
  static const StepRules& shipped();

  // The nearest rule of that kind that is asked about such a question: of its engine before any, then on its
  // GPU, then in its release. A question that names no engine is about the one whose kernels stand for all.
  // No allocation; thread-safe.
  RuleUse find(RuleKind kind, const GpuSpec& gpu, const KernelContext& context) const;
  // The same of rules of the question's own engine alone.
  RuleUse find_own(RuleKind kind, const GpuSpec& gpu, const KernelContext& context) const;

 private:
  StepRules() = default;
  void add(StepRule rule);
  std::array<std::vector<StepRule>, kRuleKinds> rules_;  // by kind, in the order of their files
};

}  // namespace warploom
