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

std::vector<std::int64_t> geometric_grid(std::int64_t limit, std::int64_t dense, std::int64_t per_octave) {
  std::vector<std::int64_t> grid;
  std::int64_t value = 1;
  while (value < limit) {
    grid.push_back(value);
    value += value < dense ? 1 : std::max<std::int64_t>(1, value / per_octave);
  }
  grid.push_back(std::max<std::int64_t>(limit, 1));
  return grid;
}

GridPosition locate(std::span<const std::int64_t> grid, double value) {
  const auto above = std::upper_bound(grid.begin(), grid.end(), value,
                                      [](double v, std::int64_t point) { return v < double(point); });
  if (above == grid.begin()) return {0, 0.0};
  const std::size_t low = std::size_t(above - grid.begin()) - 1;
  if (low + 1 >= grid.size()) return {grid.size() - 1, 0.0};
  const double width = double(grid[low + 1] - grid[low]);
  return {low, (value - double(grid[low])) / width};
}

void PriceTable::fill(std::size_t row, std::span<const OperatorNode> operators, const OperatorPricer& pricer,
                      KernelSums& sums) {
  Row& filled = rows_[row];
  filled = Row{.filled = true, .price = {}, .kernels = {}};
  for (const OperatorNode& node : operators) {
    const ListPrice price = pricer.price({&node, 1}, nullptr);
    filled.price += price;
    filled.kernels.push_back({sums.index_of(family_of(node.op), node.label), price.p50, double(node.count)});
  }
}

void PriceTable::use(std::size_t row, double weight, ListPrice& price, KernelSums& sums) const {
  if (weight == 0) return;
  const Row& used = rows_[row];
  // Neighbouring rows share their error: half-widths are mixed, so squares are mixed with the plain weight.
  price.p50 += weight * used.price.p50;
  price.below += weight * used.price.below;
  price.above += weight * used.price.above;
  price.collectives += weight * used.price.collectives;
  price.shared += weight * used.price.shared;
  price.routed += weight * used.price.routed;
  for (const Kernel& kernel : used.kernels)
    sums.add(kernel.index, weight * kernel.seconds, weight * kernel.calls);
}

}  // namespace warploom
