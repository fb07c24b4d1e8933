#include "warploom/kernels/tile_schedule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

namespace warploom {
namespace {

constexpr double kRounding = 1e-9;  // of a count of waves
constexpr double kSortedTail =
    0.25;  // of a mean task: where the longest come first, short ones fill the gaps
constexpr double kUnsortedTail = 0.5;  // of the longest task: half of it on average, where it may start late

using MinHeap = std::priority_queue<std::pair<double, std::int64_t>,
                                    std::vector<std::pair<double, std::int64_t>>, std::greater<>>;

void check_costs(std::span<const double> costs, std::int64_t slots) {
  if (slots < 1) throw InvalidInput("schedule: the number of slots must be at least 1");
  for (const double cost : costs) {
    if (!std::isfinite(cost) || cost < 0)
      throw InvalidInput("schedule: a task's cost must be finite and not negative");
  }
}

TileSchedule shape_of(double tasks, double total, double slots) {
  TileSchedule schedule;
  schedule.mean_load = total / slots;
  schedule.waves = tasks / slots;
  const double whole = std::max(1.0, std::ceil(schedule.waves - kRounding));
  schedule.wave_fill = schedule.waves / whole;
  return schedule;
}

// One SM of simulate_shared_sms: the work left of each resident task.
struct SharedSm {
  std::vector<double> left;
  double time = 0;

  double speed_of_one(std::span<const double> speed) const {
    return speed[left.size() - 1] / double(left.size());
  }
  double next_retirement(std::span<const double> speed) const {
    return time + *std::min_element(left.begin(), left.end()) / speed_of_one(speed);
  }
  void advance(double to, std::span<const double> speed) {
    if (!left.empty()) {
      const double done = (to - time) * speed_of_one(speed);
      for (double& work : left) work -= done;
    }
    time = to;
  }
  void retire() { left.erase(std::min_element(left.begin(), left.end())); }
};

}  // namespace

double simulate_shared_sms(std::span<const double> costs, std::int64_t sms, std::span<const double> speed) {
  check_costs(costs, sms);
  if (speed.empty()) throw InvalidInput("schedule: 'speed' needs one entry per resident task");
  std::vector<SharedSm> machines(static_cast<std::size_t>(sms));
  std::size_t next = 0;
  // First blocks go breadth first: one to each SM, then a second one.
  for (std::size_t layer = 0; layer < speed.size(); ++layer) {
    for (SharedSm& sm : machines) {
      if (next < costs.size()) sm.left.push_back(costs[next++]);
    }
  }
  MinHeap events;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (!machines[i].left.empty()) events.emplace(machines[i].next_retirement(speed), std::int64_t(i));
  }
  double makespan = 0;
  while (!events.empty()) {
    const auto [time, index] = events.top();
    events.pop();
    SharedSm& sm = machines[std::size_t(index)];
    sm.advance(time, speed);
    sm.retire();
    makespan = time;
    if (next < costs.size()) sm.left.push_back(costs[next++]);
    if (!sm.left.empty()) events.emplace(sm.next_retirement(speed), index);
  }
  return makespan;
}

TileSchedule schedule_grid(const TaskGrid& grid, double slots, double task_overhead) {
  const double tasks = grid.tasks();
  const double total = grid.total_steps() + tasks * task_overhead;
  TileSchedule schedule = shape_of(tasks, total, slots);
  if (tasks <= 0) return schedule;
  const double longest = grid.longest_steps() + task_overhead, mean = total / tasks;
  if (grid.uniform()) {
    schedule.makespan = std::ceil(schedule.waves - kRounding) * longest;
    return schedule;
  }
  const double bound = std::max(longest, schedule.mean_load);
  if (tasks <= slots) {
    schedule.makespan = longest;
  } else if (grid.order == TaskOrder::LongestFirst) {
    // Short tasks at the end fill the gaps down to about one of the shortest groups.
    schedule.makespan = std::max(bound, schedule.mean_load + kSortedTail * mean * (1 - 1 / schedule.waves));
  } else {
    schedule.makespan = std::max(bound, schedule.mean_load + kUnsortedTail * longest);
  }
  return schedule;
}

}  // namespace warploom
