// When the tasks of a kernel finish: exact simulation for lists, closed forms for grids.
#pragma once

#include <span>
#include <vector>

#include "warploom/kernels/task_grid.h"

namespace warploom {

// All times in steps.
struct TileSchedule {
  double makespan = 0;
  double mean_load = 0;  // total / slots
  double waves = 0;      // tasks / slots
  double wave_fill = 1;  // tasks / (slots * whole waves)
  double balance() const { return mean_load > 0 ? makespan / mean_load : 1; }  // at least 1
};

// Runs the tasks on `slots` equal slots and returns the makespan. A slot takes its next task when it retires
// one: NextFree in the order given, LongestFirst by length, RoundRobin task i on slot i mod slots. O(n log
// n). Throws InvalidInput unless slots >= 1 and every cost is finite and not negative.
TileSchedule simulate_tasks(std::span<const double> costs, std::int64_t slots, TaskOrder order);

// The same for tasks that share their SM: up to `occupancy` reside together and progress at equal speed,
// together `speed[r-1]` steps per time when r reside (speed[0] = 1; {1, 1.6} = two tasks run 1.6 times as
// fast as one). Event by event with retirement; O(n (log SMs + occupancy)).
double simulate_shared_sms(std::span<const double> costs, std::int64_t sms, std::span<const double> speed);

// Closed form: exact for alike tasks; otherwise the bound max(longest, total / slots) plus the expected tail
// of the order (none that matters for LongestFirst, half a mean task for NextFree). `task_overhead` in steps
// is added to each task. O(1).
TileSchedule schedule_grid(const TaskGrid& grid, double slots, double task_overhead);

// The costs of a grid's tasks, ramps spread evenly, in order of groups; for simulate_tasks.
// Throws InvalidInput when there are more than `most` tasks.
std::vector<double> expand_tasks(const TaskGrid& grid, double task_overhead, std::size_t most = 1'000'000);

}  // namespace warploom
