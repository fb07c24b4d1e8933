// Kernels as engines run them inside a step: by rules where none was swept, else as measured and changed by
// what surrounds them.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "warploom/kernels/collectives/network_kernels.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/rule_price.h"
#include "warploom/steps/step_rules.h"

namespace warploom {

// The names under which the rules' answers are reported and can be asked for: streaming_rule.h and
// step_sampling.h.
inline constexpr std::string_view kStreamingKernel = "streaming", kSamplingKernel = "sampling",
                                  kExpertChoiceKernel = "expert_choice";

// The name of the operator's rule; empty: it has none.
std::string_view rule_of(const Operator& op);

// The one evaluator of the rules of data/steps: it chooses the rule that speaks for a question and puts it
// into the answer.
//
// A rule answers a question of how an engine runs its operator: what only streams for any engine (a measured
// kernel that is faster stays), sampling for engines whose steps were profiled. A question that names a
// measured kernel, or a framework that is no engine, is about just that kernel and is passed on.
//
// Collectives across nodes have no swept kernel that is theirs: collectives/network_kernels.h answers,
// whatever kernel is named.
//
// Experts with their exchange in one kernel have a table of their own, which answers under every predictor
// but physics alone: there the experts' bound and the link's are the answer.
//
// Products, mixtures of experts, attention and collectives keep their measured kernel, whose time is changed
// to what it takes inside a step (in_step.h, decode_in_step.h, fused_quantising.h, waiting_ranks.h). Rows of
// a sweep (KernelContext::as_collected) are never changed: they are judged against the kernel that was swept.
// Thread-safe as `kernels` is.
class StepKernels final : public LatencyModel {
 public:
  // Not null. Physics alone (RooflineModel) knows of no kernel, and keeps all of its answers.
  // `rules` must outlive it.
  explicit StepKernels(std::unique_ptr<const LatencyModel> kernels,
                       const StepRules& rules = StepRules::shipped());
  // The same with rules of its own.
  StepKernels(std::unique_ptr<const LatencyModel> kernels, std::unique_ptr<const StepRules> rules);
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context = {}) const override;
  void estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu, const KernelContext& context,
                      std::span<LatencyEstimate> results) const override;
  // Under a rule's name, of the framework and version that were asked for, where the rule answers.
  KernelAnswer answer(const Operator& op, const GpuSpec& gpu,
                      const KernelContext& context = {}) const override;
  // What quantises the rows of a product, which is not the product: passes before it in a row of the public
  // tables, and what a step's price holds of it.
  struct Passes {
    Seconds in_tables, in_step;
  };
  // Nothing where neither holds any, or the product is no engine's.
  std::optional<Passes> passes_over_rows(const Gemm& product, const GpuSpec& gpu,
                                         const KernelContext& context) const;
  // What was measured, without the rules.
  const LatencyModel& kernels() const { return *kernels_; }

 private:
  // What answers in place of measured kernels; nothing: they are the better answer, or the question is
  // theirs.
  std::optional<RulePrice> replace(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                                   const LatencyEstimate& measured) const;
  // Changes what the measured kernels answered by what surrounds them in a step.
  void change(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
              LatencyEstimate& answer) const;
  // A pass over the rows of a product as the tables have it.
  Seconds pass_over_rows(const Gemm& product, const GpuSpec& gpu, const KernelContext& context) const;
  void take_quantising(const Gemm& product, const GpuSpec& gpu, const KernelContext& context,
                       LatencyEstimate& answer) const;
  // Changes the answer of the measured kernels; returns the name of the rule that answers in their place, or
  // nothing.
  std::string_view serve(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                         LatencyEstimate& answer) const;
  // The answer of DeepGEMM's MegaMoE (kernels/moe/mega_moe.h); nothing: another kernel is asked for, or a row
  // of a sweep. Throws Unsupported as MegaMoeTable::check does.
  std::optional<KernelAnswer> fused_exchange(const Operator& op, const GpuSpec& gpu,
                                             const KernelContext& context) const;
  // What answers without the measured kernels; nothing: they do.
  std::optional<KernelAnswer> beside_measured(const Operator& op, const GpuSpec& gpu,
                                              const KernelContext& context) const;
  // The answer to a collective across nodes; nothing: it is none, or the question is not an engine's or a
  // user's.
  std::optional<KernelAnswer> across_nodes(const Operator& op, const GpuSpec& gpu,
                                           const KernelContext& context) const;
  std::unique_ptr<const LatencyModel> kernels_;
  std::unique_ptr<const StepRules> own_rules_;  // null: those of another
  const StepRules& rules_;
  NetworkKernels network_;
  bool has_rules_ = true;
};

}  // namespace warploom
