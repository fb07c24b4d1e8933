#include "warploom/measurements/quality.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/statistics.h"
#include "warploom/kernels/physical_bound.h"

namespace warploom {
namespace {

void merge_group(Dataset& dataset, std::span<const std::uint32_t> group, std::vector<bool>& keep,
                 RepeatNoiseCounter* noise) {
  std::vector<double> latencies;
  std::int64_t samples = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const double latency = dataset.latency(group[i]).value();
    const auto copy = [&](std::uint32_t other) {
      return dataset.latency(other).value() == latency &&
             dataset.n_samples(other) == dataset.n_samples(group[i]);
    };
    if (std::any_of(group.begin(), group.begin() + std::ptrdiff_t(i), copy)) continue;
    latencies.push_back(latency);
    samples += dataset.n_samples(group[i]);
  }
  if (noise != nullptr) noise->add(dataset.family(group.front()), latencies);
  dataset.set_latency(group.front(), Seconds(quantile(latencies, 0.5)), samples);
  for (std::size_t i = 1; i < group.size(); ++i) keep[group[i]] = false;
}

}  // namespace

Seconds physical_bound_of(const Operator& op, const GpuSpec& gpu, const RoutingCache* routing) {
  try {
    return physical_bound(op, gpu, work_of(op, routing)).time;
  } catch (const Unsupported&) {
    return Seconds(0);
  }
}

Seconds physical_bound_ceiling(const Operator& op, const GpuSpec& gpu) {
  const auto* moe = std::get_if<FusedMoe>(&op);
  if (moe == nullptr || moe->routing == RoutingKind::Balanced) return physical_bound_of(op, gpu);
  const double held = std::ceil(double(moe->experts) / double(moe->expert_parallel));
  RoutingLoad load;
  load.experts_held = held;
  load.pairs = double(moe->tokens) * std::min(double(moe->top_k), held);
  load.experts_hit = load.random_hit = std::min(held, load.pairs);
  try {
    return physical_bound(op, gpu, moe_work(*moe, load)).time;
  } catch (const Unsupported&) {
    return Seconds(0);
  }
}

std::size_t merge_repeats(Dataset& dataset, const std::function<void(std::size_t)>& merged,
                          RepeatNoiseCounter* noise) {
  struct Key {
    std::uint64_t high, low;
    std::uint32_t row;
    bool operator<(const Key& other) const {
      return std::tie(high, low, row) < std::tie(other.high, other.low, other.row);
    }
  };
  std::vector<Key> keys(dataset.size());
  for (std::size_t row = 0; row < dataset.size(); ++row) {
    keys[row] = {std::uint64_t(dataset.operator_index(row)) << 32 | dataset.context_index(row),
                 std::uint64_t(dataset.gpu_index(row)) << 16 | std::uint64_t(dataset.layout(row)) << 8 |
                     dataset.marks(row).bits(),
                 static_cast<std::uint32_t>(row)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<bool> keep(dataset.size(), true);
  std::vector<std::uint32_t> group;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin + 1;
    while (end < keys.size() && keys[end].high == keys[begin].high && keys[end].low == keys[begin].low) ++end;
    if (end - begin > 1) {
      group.clear();
      for (std::size_t i = begin; i < end; ++i) group.push_back(keys[i].row);
      merge_group(dataset, group, keep, noise);
      count += group.size() - 1;
    }
    begin = end;
  }
  if (count == 0) return 0;
  if (merged) {
    for (std::size_t row = 0; row < keep.size(); ++row) {
      if (!keep[row]) merged(row);
    }
  }
  dataset.retain(keep);
  return count;
}

}  // namespace warploom
