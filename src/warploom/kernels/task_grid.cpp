#include "warploom/kernels/task_grid.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

constexpr double kElementsPerBlock = 4096;

}  // namespace

void TaskGrid::add(const TaskGroup& group) {
  shortest_ = tasks_ == 0 ? group.least_steps : std::min(shortest_, group.least_steps);
  longest_ = std::max(longest_, group.most_steps);
  tasks_ += group.tasks;
  total_steps_ += group.tasks * group.mean_steps;
  if (count_ < first_.size()) {
    first_[count_] = group;
  } else {
    rest_.push_back(group);
  }
  ++count_;
}

PipelineDemand KernelSequence::demand() const {
  PipelineDemand total;
  for (std::size_t i = 0; i < size; ++i) total += kernels[i].demand();
  return total;
}

void add_streaming_grid(KernelSequence& sequence, const Work& work, std::string_view kernel) {
  TaskGrid& grid = sequence.next();
  grid.kernel = kernel;
  const double bytes = work.unique_bytes().value();
  const double tasks = std::max(1.0, std::ceil(bytes / (2 * kElementsPerBlock)));
  grid.occupancy = 8;
  grid.per_task.fma_flop = work.fma_flop.value() / tasks;
  grid.per_task.special_ops = work.special_ops / tasks;
  grid.per_task.l2_bytes = bytes / tasks;
  grid.per_task.dram_bytes = bytes / tasks;
  grid.per_task.network_bytes = work.network_bytes.value() / tasks;
  grid.add({.tasks = tasks});
}

}  // namespace warploom
