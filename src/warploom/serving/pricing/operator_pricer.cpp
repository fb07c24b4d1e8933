#include "warploom/serving/pricing/operator_pricer.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

// Tables of DeepGEMM's experts were measured as engines without a dispatch run them: every rank is handed
// the tokens of all and passes over them, over those too that none of its experts was chosen by. Behind a
// dispatch those never come. SGLang's rows of DeepEPMoE show it: the more tokens there are on other ranks,
// the more they fall short of those tables, on each GPU by as many passes over hidden states in bf16 at the
// memory's rate. Fitted by `tools/judge_wide_experts --fit h100_sxm` on the H100's rows and judged on the
// other GPUs'.
constexpr double kPasses = 8.5, kHiddenBytes = 2;
constexpr double kLeastShare = 0.2;  // of the measured time

void leave_out_absent_tokens(const FusedMoe& op, const GpuSpec& gpu, ExpertTransport transport,
                             LatencyEstimate& estimate) {
  const bool dispatched =
      transport != ExpertTransport::Collectives && transport != ExpertTransport::NvLinkAllToAll;
  if (!dispatched || op.expert_parallel < 2) return;
  const double elsewhere = std::pow(1 - 1 / double(op.expert_parallel), double(op.top_k));
  const double bytes = kPasses * kHiddenBytes * double(op.tokens) * elsewhere * double(op.hidden);
  const double kept = std::max({kLeastShare * estimate.p50.value(), estimate.physical_bound.value(),
                                estimate.p50.value() - bytes / gpu.memory_bandwidth.value()});
  const double scale = std::min(1.0, kept / estimate.p50.value());
  estimate.p50 = estimate.p50 * scale;
  estimate.p10 = std::min(estimate.p50, std::max(estimate.p10 * scale, estimate.physical_bound));
  estimate.p90 = estimate.p90 * scale;
  estimate.in_step = estimate.in_step || scale < 1;
}

ListPrice price_of(const OperatorNode& node, const LatencyEstimate& one_call) {
  const auto count = double(node.count);
  const double p50 = one_call.p50.value() * count;
  ListPrice price{.p50 = p50,
                  .below = {},
                  .above = {},
                  .collectives = std::holds_alternative<Collective>(node.op) ? p50 : 0.0,
                  .shared = runs_beside_experts(node) ? p50 : 0.0,
                  .routed = std::holds_alternative<FusedMoe>(node.op) ? p50 : 0.0,
                  .memory = one_call.bound == Bound::Dram ? one_call.physical_bound.value() * count : 0.0};
  const ErrorKind kind = error_kind(family_of(node.op));
  price.below.add(kind, (one_call.p50 - one_call.p10).value() * count);
  price.above.add(kind, (one_call.p90 - one_call.p50).value() * count);
  return price;
}

}  // namespace

ListPrice& ListPrice::operator+=(const ListPrice& other) {
  p50 += other.p50;
  below.mix(other.below, 1);
  above.mix(other.above, 1);
  collectives += other.collectives;
  shared += other.shared;
  routed += other.routed;
  memory += other.memory;
  return *this;
}

StepCost ListPrice::cost() const {
  const double middle = p50 - hidden();
  return {Seconds(std::max(memory, middle - below.joint())), Seconds(middle), Seconds(middle + above.joint()),
          Seconds(collectives)};
}

ListPrice OperatorPricer::price(std::span<const OperatorNode> operators, const SeeOperator& see) const {
  ListPrice total;
  for (const OperatorNode& node : operators) {
    if (node.count <= 0) continue;
    const KernelContext asked = names.of(node.op, *gpu);
    KernelAnswer answer = model->answer(node.op, *gpu, asked);
    if (const auto* experts = std::get_if<FusedMoe>(&node.op);
        experts != nullptr && answer.implementation.kernel == kDeepGemm)
      leave_out_absent_tokens(*experts, *gpu, names.expert_transport, answer.estimate);
    total += price_of(node, answer.estimate);
    if (see) see(node, answer.estimate, KernelSource(answer, node.op, asked));
  }
  return total;
}

}  // namespace warploom
