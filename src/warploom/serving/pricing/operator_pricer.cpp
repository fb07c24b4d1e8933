#include "warploom/serving/pricing/operator_pricer.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

ListPrice price_of(const OperatorNode& node, const LatencyEstimate& one_call) {
  const auto count = double(node.count);
  const double p50 = one_call.p50.value() * count;
  const double below = (one_call.p50 - one_call.p10).value() * count;
  const double above = (one_call.p90 - one_call.p50).value() * count;
  return {.p50 = p50,
          .below = below * below,
          .above = above * above,
          .collectives = std::holds_alternative<Collective>(node.op) ? p50 : 0.0,
          .shared = runs_beside_experts(node) ? p50 : 0.0,
          .routed = std::holds_alternative<FusedMoe>(node.op) ? p50 : 0.0};
}

}  // namespace

ListPrice& ListPrice::operator+=(const ListPrice& other) {
  p50 += other.p50;
  below += other.below;
  above += other.above;
  collectives += other.collectives;
  shared += other.shared;
  routed += other.routed;
  return *this;
}

StepCost ListPrice::cost() const {
  const double middle = p50 - hidden();
  return {Seconds(std::max(0.0, middle - std::sqrt(below))), Seconds(middle),
          Seconds(middle + std::sqrt(above)), Seconds(collectives)};
}

ListPrice OperatorPricer::price(std::span<const OperatorNode> operators, const SeeOperator& see) const {
  ListPrice total;
  for (const OperatorNode& node : operators) {
    if (node.count <= 0) continue;
    const KernelContext asked = names.of(node.op, *gpu);
    const KernelAnswer answer = model->answer(node.op, *gpu, asked);
    total += price_of(node, answer.estimate);
    if (see) see(node, answer.estimate, KernelSource(answer, node.op, asked));
  }
  return total;
}

}  // namespace warploom
