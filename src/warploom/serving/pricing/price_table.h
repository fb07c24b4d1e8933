// Prices of operator lists, remembered at the points of a grid (price_grid.h) and interpolated between them.
// A row is one list; it keeps the time of each kernel and counts its uses, so that a breakdown costs a step
// one addition per row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/serving/pricing/operator_pricer.h"

namespace warploom {

// A kernel's part of a priced list: one call of it, in seconds, and how often it is called.
struct KernelShare {
  std::size_t kernel = 0;  // of the sums that the list was priced with
  double one_call = 0, calls = 0;
};

// A list of operators with what it takes.
struct PricedList {
  ListPrice price;
  std::vector<KernelShare> kernels;
};

// GPU time over many steps, by kernel and what its price rests on.
class KernelSums {
 public:
  // Index of a kernel whose price rested on that.
  std::size_t index_of(const OperatorNode& node, KernelSource source);
  void add(std::size_t kernel, double seconds, double calls) {
    kernels_[kernel].time += Seconds(seconds);
    kernels_[kernel].calls += calls;
  }
  // Prices a list, whose kernels are known from then on and not added.
  PricedList list(std::span<const OperatorNode> operators, const OperatorPricer& pricer);
  // Adds its kernels, as many times, and gives its price.
  const ListPrice& add(const PricedList& list, double times = 1) {
    for (const KernelShare& share : list.kernels) {
      const double calls = share.calls * times;
      add(share.kernel, share.one_call * calls, calls);
    }
    return list.price;
  }
  // Both.
  ListPrice price(std::span<const OperatorNode> operators, const OperatorPricer& pricer, double times = 1) {
    return add(list(operators, pricer), times);
  }
  void clear();
  std::vector<KernelTime> sorted() const;

 private:
  std::vector<KernelTime> kernels_;
};

// Rows of prices by index; filled by the caller when absent.
class PriceTable {
 public:
  explicit PriceTable(std::size_t rows) : rows_(rows), kernels_(rows) {}
  bool has(std::size_t row) const { return rows_[row].filled; }
  void fill(std::size_t row, std::span<const OperatorNode> operators, const OperatorPricer& pricer,
            KernelSums& sums);
  double time(std::size_t row) const { return rows_[row].price.p50; }
  // Counts the row for collect(), as many times.
  void count(std::size_t row, double weight, double times = 1) { rows_[row].used += weight * times; }
  // Adds `weight` times the row to `price`, and counts it.
  void use(std::size_t row, double weight, ListPrice& price, double times = 1) {
    count(row, weight, times);
    const Row& used = rows_[row];
    price.p50 += weight * used.price.p50;
    price.below.mix(used.price.below, weight);
    price.above.mix(used.price.above, weight);
    price.collectives += weight * used.price.collectives;
    price.shared += weight * used.price.shared;
    price.routed += weight * used.price.routed;
    price.memory += weight * used.price.memory;
  }
  // Adds what all uses took to the sums that the rows were filled with (or to a copy of them).
  void collect(KernelSums& sums) const;
  void forget_uses();

 private:
  struct Row {  // one cache line
    ListPrice price;
    double used = 0;  // sum of the weights
    bool filled = false;
  };
  std::vector<Row> rows_;
  std::vector<std::vector<KernelShare>> kernels_;
};

}  // namespace warploom
