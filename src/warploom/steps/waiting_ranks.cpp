#include "warploom/steps/waiting_ranks.h"

#include <variant>

#include "warploom/steps/apply_rule.h"

namespace warploom {
namespace {

Seconds wait_of(const RankConstants& rule, const Collective& op, bool own_kernel) {
  switch (op.kind) {
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
      return rule.other;
    case CollectiveKind::AllReduce:
      if (!own_kernel) return rule.all_reduce;
      return op.size <= rule.largest_own ? rule.own : Seconds(0.0);
    default:
      return Seconds(0.0);
  }
}

}  // namespace

bool wait_for_ranks(const StepRules& rules, const Operator& op, const GpuSpec& gpu,
                    const KernelContext& context, LatencyEstimate& answer) {
  const auto* collective = std::get_if<Collective>(&op);
  if (collective == nullptr || collective->ranks < 2) return false;
  const RuleUse use = rules.find(RuleKind::Ranks, gpu, context);
  if (!use) return false;
  const Seconds wait = wait_of(use.constants<RankConstants>(), *collective, !context.kernel.empty());
  if (wait <= Seconds(0.0)) return false;
  answer.p10 += wait;
  answer.p50 += wait;
  answer.p90 += wait;
  answer.in_step = true;
  doubt_change(use, outside_of(*use.rule, {double(collective->ranks)}) == 0, wait, answer);
  return true;
}

}  // namespace warploom
