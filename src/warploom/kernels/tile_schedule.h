// When the tasks of a kernel finish: event by event on shared SMs, closed forms for grids.
#pragma once

#include <span>

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

// When tasks end that share their SM: up to `occupancy` reside together and progress at equal speed, together
// `speed[r-1]` steps per time when r reside (speed[0] = 1; {1, 1.6} = two tasks run 1.6 times as fast as
// one). Event by event with retirement; O(n (log SMs + occupancy)). Throws InvalidInput unless sms >= 1 and
// every cost is finite and not negative.
double simulate_shared_sms(std::span<const double> costs, std::int64_t sms, std::span<const double> speed);

// Closed form: exact for alike tasks; otherwise the bound max(longest, total / slots) plus the expected tail
// of the order (none that matters for LongestFirst, half a mean task for NextFree). `task_overhead` in steps
// is added to each task. O(1).
TileSchedule schedule_grid(const TaskGrid& grid, double slots, double task_overhead);

}  // namespace warploom
