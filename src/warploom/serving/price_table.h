// Prices of operator lists, remembered at the points of a grid and interpolated between them. A row is one
// list; it keeps the time of each kernel, so that a breakdown costs one addition per kernel and step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/kernels/latency_model.h"
#include "warploom/models/operator_graph.h"
#include "warploom/serving/kernel_names.h"
#include "warploom/serving/step_pricer.h"

namespace warploom {

// Times of a list of operators. `below` and `above` are the squared half-widths of the interval, summed over
// distinct operators (see StepCost); they add when lists are joined.
struct ListPrice {
  double p50 = 0, below = 0, above = 0;  // s, s^2, s^2
  double collectives = 0;                // part of p50
  double shared = 0, routed = 0;         // parts of p50 that run beside each other, see runs_beside_experts
  ListPrice& operator+=(const ListPrice& other);
  StepCost cost() const;
};

// GPU time per kernel over many steps.
class KernelSums {
 public:
  // Index of the kernel of this family and label.
  std::size_t index_of(Family family, std::string_view label);
  void add(std::size_t kernel, double seconds, double calls) {
    kernels_[kernel].time += Seconds(seconds);
    kernels_[kernel].calls += calls;
  }
  void clear();
  std::vector<KernelTime> sorted() const;

 private:
  std::vector<KernelTime> kernels_;
};

// What prices operators: a model of latency on one GPU with one implementation.
struct OperatorPricer {
  const LatencyModel* model = nullptr;
  const GpuSpec* gpu = nullptr;
  KernelNames names;

  // Prices a list and adds its kernels to `sums` (unless null).
  ListPrice price(std::span<const OperatorNode> operators, KernelSums* sums) const;
};

// Ascending grid points that cover [1, limit]: every integer up to `dense`, then steps of at most
// 1/`per_octave` of the value (so that rounding never leaves gaps).
std::vector<std::int64_t> geometric_grid(std::int64_t limit, std::int64_t dense, std::int64_t per_octave);

// Where a value lies on a grid: between points low and low + 1, at share `weight` of the way.
struct GridPosition {
  std::size_t low = 0;
  double weight = 0;
};
GridPosition locate(std::span<const std::int64_t> grid, double value);

// Rows of prices by index; filled by the caller when absent.
class PriceTable {
 public:
  explicit PriceTable(std::size_t rows) : rows_(rows) {}
  bool has(std::size_t row) const { return rows_[row].filled; }
  void fill(std::size_t row, std::span<const OperatorNode> operators, const OperatorPricer& pricer,
            KernelSums& sums);
  double time(std::size_t row) const { return rows_[row].price.p50; }
  // Adds `weight` times the row to `price` and `sums`.
  void use(std::size_t row, double weight, ListPrice& price, KernelSums& sums) const;

 private:
  struct Kernel {
    std::size_t index = 0;
    double seconds = 0, calls = 0;
  };
  struct Row {
    bool filled = false;
    ListPrice price;
    std::vector<Kernel> kernels;
  };
  std::vector<Row> rows_;
};

}  // namespace warploom
