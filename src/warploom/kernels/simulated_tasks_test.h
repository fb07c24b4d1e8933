// What schedule_grid's closed forms stand for: the tasks of a grid one by one, on slots that take the next
// when they are free.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "warploom/kernels/task_grid.h"

namespace warploom {

// The costs of a grid's tasks, ramps spread evenly, in order of groups.
inline std::vector<double> expand_tasks(const TaskGrid& grid, double task_overhead) {
  std::vector<double> costs;
  grid.for_each_group([&](const TaskGroup& group) {
    const std::size_t count = std::size_t(std::llround(group.tasks));
    // A ramp whose mean is the group's: linear below and above the mean.
    const double spread = std::min(group.mean_steps - group.least_steps, group.most_steps - group.mean_steps);
    for (std::size_t i = 0; i < count; ++i) {
      const double position = count > 1 ? 2.0 * double(i) / double(count - 1) - 1.0 : 0.0;
      costs.push_back(group.mean_steps + spread * position + task_overhead);
    }
  });
  return costs;
}

// The makespan. NextFree: in the order given; LongestFirst: by length; RoundRobin: task i on slot i mod
// slots.
inline double simulated_makespan(std::vector<double> costs, std::int64_t slots, TaskOrder order) {
  if (order == TaskOrder::RoundRobin) {
    std::vector<double> loads(std::size_t(slots), 0.0);
    for (std::size_t i = 0; i < costs.size(); ++i) loads[i % loads.size()] += costs[i];
    return *std::max_element(loads.begin(), loads.end());
  }
  if (order == TaskOrder::LongestFirst) std::sort(costs.begin(), costs.end(), std::greater<>());
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  for (std::int64_t slot = 0; slot < slots; ++slot) free_at.push(0.0);
  double makespan = 0;
  for (const double cost : costs) {
    const double end = free_at.top() + cost;
    free_at.pop();
    free_at.push(end);
    makespan = std::max(makespan, end);
  }
  return makespan;
}

}  // namespace warploom
