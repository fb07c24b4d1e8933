#include "warploom/serving/pricing/price_table.h"

#include <algorithm>
#include <utility>

namespace warploom {

std::size_t KernelSums::index_of(const OperatorNode& node, KernelSource source) {
  const Family family = family_of(node.op);
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const KernelTime& known = kernels_[i];
    if (known.family == family && known.label == node.label && known.source == source) return i;
  }
  kernels_.push_back({family, std::string(node.label), Seconds(0.0), 0, std::move(source)});
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

PricedList KernelSums::list(std::span<const OperatorNode> operators, const OperatorPricer& pricer) {
  PricedList list;
  list.price = pricer.price(
      operators, [&](const OperatorNode& node, const LatencyEstimate& one_call, KernelSource source) {
        list.kernels.push_back({index_of(node, std::move(source)), one_call.p50.value(), double(node.count)});
      });
  return list;
}

void PriceTable::fill(std::size_t row, std::span<const OperatorNode> operators, const OperatorPricer& pricer,
                      KernelSums& sums) {
  PricedList list = sums.list(operators, pricer);
  rows_[row] = Row{.price = list.price, .used = 0, .filled = true};
  kernels_[row] = std::move(list.kernels);
}

void PriceTable::collect(KernelSums& sums) const {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double used = rows_[row].used;
    if (used == 0) continue;
    for (const KernelShare& share : kernels_[row])
      sums.add(share.kernel, used * (share.one_call * share.calls), used * share.calls);
  }
}

void PriceTable::forget_uses() {
  for (Row& row : rows_) row.used = 0;
}

}  // namespace warploom
