#include "warploom/serving/pricing/operator_pricer.h"

#include <algorithm>

namespace warploom {
namespace {

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
    const KernelAnswer answer = model->answer(node.op, *gpu, asked);
    total += price_of(node, answer.estimate);
    if (see) see(node, answer.estimate, KernelSource(answer, node.op, asked));
  }
  return total;
}

}  // namespace warploom
