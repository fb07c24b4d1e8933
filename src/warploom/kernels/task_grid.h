// The blocks (tasks) of the kernels that an operator launches, in groups that need no list of tasks.
//
// A task runs `steps` iterations of its inner loop. Within a kernel all tasks ask the same of the pipelines
// once and per step; groups differ in their steps. Demands count padding and re-reads: what the kernel
// executes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/kernels/attention/attention_tiling.h"
#include "warploom/kernels/pipeline_demand.h"
#include "warploom/kernels/tiled_product.h"
#include "warploom/kernels/work.h"

namespace warploom {

// `tasks` blocks whose steps lie between least and most with this mean (causal tiles form a ramp).
struct TaskGroup {
  double tasks = 0;
  double mean_steps = 1, least_steps = 1, most_steps = 1;
};

// How tasks reach the slots.
enum class TaskOrder {
  NextFree,      // the hardware's block scheduler: in order, to the first free slot
  LongestFirst,  // a tile scheduler that sorts by length (FlashAttention-3)
  RoundRobin     // task i to slot i mod slots, whatever its length (persistent kernels)
};

// The tasks of one kernel. Four groups are held in place; more go to the heap.
struct TaskGrid {
  std::string_view kernel = "kernel";  // what the kernel does, for people
  PipelineDemand per_task, per_step;
  double occupancy = 1;    // tasks that one SM holds at once
  double tensor_rate = 0;  // FLOP per clock per SM of the unit in use
  TaskOrder order = TaskOrder::NextFree;

  void add(const TaskGroup& group);

  double tasks() const { return tasks_; }
  double total_steps() const { return total_steps_; }
  double longest_steps() const { return longest_; }
  bool uniform() const { return longest_ == shortest_; }  // every task has the same steps
  PipelineDemand demand() const { return per_task * tasks_ + per_step * total_steps_; }

  template <class Visit>
  void for_each_group(Visit visit) const {
    for (std::size_t i = 0; i < count_ && i < first_.size(); ++i) visit(first_[i]);
    for (const TaskGroup& group : rest_) visit(group);
  }

 private:
  double tasks_ = 0, total_steps_ = 0, longest_ = 0, shortest_ = 0;
  std::size_t count_ = 0;
  std::array<TaskGroup, 4> first_{};
  std::vector<TaskGroup> rest_;
};

// The kernels of one call, in order.
struct KernelSequence {
  static constexpr std::size_t kMost = 8;
  std::array<TaskGrid, kMost> kernels;
  std::size_t size = 0;

  TaskGrid& next() { return kernels[size++]; }
  PipelineDemand demand() const;
};

// Each adds the kernels of one part of a call; a module's projections leave out their quantising passes,
// whose time its launches hold. Demands of DRAM and network are the operator's own, shared out evenly.
void add_gemm_grid(KernelSequence& sequence, const Gemm& op, const GpuSpec& gpu, const GemmTiling& tiling,
                   std::string_view kernel, bool with_quantising);
// `splits`: parts of one cache; 0: as many as let all parts fill the slots once.
void add_attention_grid(KernelSequence& sequence, const AttentionView& view, const GpuSpec& gpu,
                        const AttentionTiling& tiling, double splits = 0);
void add_moe_grids(KernelSequence& sequence, const FusedMoe& op, const RoutingLoad& load, const GpuSpec& gpu,
                   const GemmTiling& gate_up, const GemmTiling& down);
// Element-wise, row-wise and collective kernels: one task per 4,096 elements of input and output.
void add_streaming_grid(KernelSequence& sequence, const Work& work, std::string_view kernel);

}  // namespace warploom
