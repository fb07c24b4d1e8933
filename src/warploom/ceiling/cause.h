// Why a kernel is slower than its ceiling: one cause at a time is taken out of the structural model, and the
// kernel is priced again.
//
//   T = launches + (compute^3 + memory^3)^(1/3),   compute = longest pipeline inside an SM * stretch
// stretch: busiest SM / mean SM of the tasks' schedule. The share 1 - T' / T is what the cause costs; it is
// applied to the measured time, whatever the model's own error.
#pragma once

#include <vector>

#include "warploom/base/fields.h"
#include "warploom/kernels/kernel_profile.h"

namespace warploom {

enum class Cause {
  TailWave,           // the last round of tasks leaves SMs idle
  LowOccupancy,       // fewer tasks than SMs
  UnbalancedTasks,    // tasks of unlike length
  UnbalancedExperts,  // the routing; priced with balanced routing
  Padding,            // tiles that hang over the edge
  NoSplitK,           // the inner length is not split though SMs idle; only where the time looks unsplit
  MemoryTraffic,      // more bytes than the operator must move
  LaunchBound,        // launches of the call
  KernelCode          // none of these explains the gap: instructions, pipelining, clocks
};
template <>
struct EnumNames<Cause> {
  static constexpr std::array<std::pair<Cause, std::string_view>, 9> kNames{
      {{Cause::TailWave, "tail_wave"},
       {Cause::LowOccupancy, "low_occupancy"},
       {Cause::UnbalancedTasks, "unbalanced_tasks"},
       {Cause::UnbalancedExperts, "unbalanced_experts"},
       {Cause::Padding, "padding"},
       {Cause::NoSplitK, "split_k_absent"},
       {Cause::MemoryTraffic, "memory_traffic"},
       {Cause::LaunchBound, "launch_bound"},
       {Cause::KernelCode, "kernel_code"}}};
};

struct Counterfactual {
  Cause cause = Cause::KernelCode;
  double saved_share = 0;  // of the time, without this cause alone; in (0, 1)
};

// Causes that cost at least this share of the time are named.
inline constexpr double kNamedCause = 0.02;

// Most costly first; KernelCode is never among them. `profile` of the same operator and GPU; `actual` is
// what the call took. A few microseconds (a mixture of experts under power-law routing: tens).
std::vector<Counterfactual> counterfactuals(const Operator& op, const GpuSpec& gpu,
                                            const KernelProfile& profile, Seconds actual);

}  // namespace warploom
