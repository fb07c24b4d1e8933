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

ListPrice KernelSums::price(std::span<const OperatorNode> operators, const OperatorPricer& pricer,
                            double times) {
  return pricer.price(operators,
                      [&](const OperatorNode& node, const LatencyEstimate& one_call, KernelSource source) {
                        const double count = double(node.count) * times;
                        add(index_of(node, std::move(source)), one_call.p50.value() * count, count);
                      });
}

void PriceTable::fill(std::size_t row, std::span<const OperatorNode> operators, const OperatorPricer& pricer,
                      KernelSums& sums) {
  std::vector<Kernel>& kernels = kernels_[row];
  kernels.clear();
  const ListPrice price = pricer.price(
      operators, [&](const OperatorNode& node, const LatencyEstimate& one_call, KernelSource source) {
        const auto count = double(node.count);
        kernels.push_back({sums.index_of(node, std::move(source)), one_call.p50.value() * count, count});
      });
  rows_[row] = Row{.price = price, .used = 0, .filled = true};
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
