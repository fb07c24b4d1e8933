// Why a kernel is slower than its ceiling: one cause at a time is taken out of its structural price
// (kernels/structural_price.h), the one that `predict` shows, and the parts are summed again.
//
// The share 1 - T' / T is what the cause costs; it is applied to the measured time, whatever the model's own
// error. So a cause that other parts hide costs nothing.
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
  MemoryTraffic,      // bytes that the kernel moves another time
  ExtraPasses,        // passes beside the kernel: quantising, cache writes, rows of experts moved
  LaunchBound,        // launches of the call
  KernelCode          // none of these explains the gap: instructions, pipelining, clocks
};
template <>
struct EnumNames<Cause> {
  static constexpr std::array<std::pair<Cause, std::string_view>, 10> kNames{
      {{Cause::TailWave, "tail_wave"},
       {Cause::LowOccupancy, "low_occupancy"},
       {Cause::UnbalancedTasks, "unbalanced_tasks"},
       {Cause::UnbalancedExperts, "unbalanced_experts"},
       {Cause::Padding, "padding"},
       {Cause::NoSplitK, "split_k_absent"},
       {Cause::MemoryTraffic, "memory_traffic"},
       {Cause::ExtraPasses, "extra_passes"},
       {Cause::LaunchBound, "launch_bound"},
       {Cause::KernelCode, "kernel_code"}}};
};

struct Counterfactual {
  Cause cause = Cause::KernelCode;
  double saved_share = 0;  // of the time, without this cause alone; in (0, 1)
};

// Causes that cost at least this share of the time are named.
inline constexpr double kNamedCause = 0.02;

// A call that took `actual`, with its profile() of the same context and sources.
struct ExplainedCall {
  const Operator& op;
  const GpuSpec& gpu;
  KernelContext context;
  ProfileSources sources;
  const KernelProfile& profile;
  Seconds actual;
};

// Most costly first; KernelCode is never among them. A few microseconds (a mixture of experts under power-law
// routing: tens).
std::vector<Counterfactual> counterfactuals(const ExplainedCall& call);

}  // namespace warploom
