#include "warploom/serving/price_table.h"

#include <algorithm>
#include <cmath>

namespace warploom {

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
  const double middle = p50 - hidden_beside_experts(shared, routed);
  return {Seconds(std::max(0.0, middle - std::sqrt(below))), Seconds(middle),
          Seconds(middle + std::sqrt(above)), Seconds(collectives)};
}

std::size_t KernelSums::index_of(Family family, std::string_view label) {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (kernels_[i].family == family && kernels_[i].label == label) return i;
  }
  kernels_.push_back({family, std::string(label), Seconds(0.0), 0});
  return kernels_.size() - 1;
}

void KernelSums::clear() {
  for (KernelTime& kernel : kernels_) {
    kernel.time = Seconds(0.0);
    kernel.calls = 0;
  }
}

std::vector<KernelTime> KernelSums::sorted() const {
  std::vector<KernelTime> used;
  for (const KernelTime& kernel : kernels_) {
    if (kernel.calls > 0) used.push_back(kernel);
  }
  std::stable_sort(used.begin(), used.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.time > b.time; });
  return used;
}

ListPrice OperatorPricer::price(std::span<const OperatorNode> operators, KernelSums* sums) const {
  ListPrice total;
  for (const OperatorNode& node : operators) {
    if (node.count <= 0) continue;
    const LatencyEstimate estimate = model->estimate(node.op, *gpu, names.of(node.op, *gpu));
    const double p50 = estimate.p50.value() * double(node.count);
    const double below = (estimate.p50 - estimate.p10).value() * double(node.count);
    const double above = (estimate.p90 - estimate.p50).value() * double(node.count);
    total += {.p50 = p50,
              .below = below * below,
              .above = above * above,
              .collectives = std::holds_alternative<Collective>(node.op) ? p50 : 0.0,
              .shared = runs_beside_experts(node) ? p50 : 0.0,
              .routed = std::holds_alternative<FusedMoe>(node.op) ? p50 : 0.0};
    if (sums != nullptr) sums->add(sums->index_of(family_of(node.op), node.label), p50, double(node.count));
  }
  return total;
}

void PriceTable::fill(std::size_t row, std::span<const OperatorNode> operators, const OperatorPricer& pricer,
                      KernelSums& sums) {
  rows_[row] = Row{.price = {}, .used = 0, .filled = true};
  kernels_[row].clear();
  for (const OperatorNode& node : operators) {
    const ListPrice price = pricer.price({&node, 1}, nullptr);
    rows_[row].price += price;
    kernels_[row].push_back({sums.index_of(family_of(node.op), node.label), price.p50, double(node.count)});
  }
}

void PriceTable::collect(KernelSums& sums) const {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double used = rows_[row].used;
    if (used == 0) continue;
    for (const Kernel& kernel : kernels_[row])
      sums.add(kernel.index, used * kernel.seconds, used * kernel.calls);
  }
}

void PriceTable::forget_uses() {
  for (Row& row : rows_) row.used = 0;
}

}  // namespace warploom
