// Where a step lies in a run at an end of its interval (StepTime). A run is a mean of many steps, so its ends
// are nearer than those of one step; kernels and host err independently of each other.
#pragma once

#include "warploom/base/units.h"
#include "warploom/serving/host/host_model.h"
#include "warploom/serving/pricing/step_pricer.h"
#include "warploom/serving/simulation_options.h"

namespace warploom {

// What is left of the kernels' interval of one step in a run, where a model's steps of several sizes err
// each by itself: in steps without prompts and with them. By the mean deviations of models' kernel sums on
// engines, tools/step_accuracy --runs (docs/decisions/0101).
inline constexpr double kDecodeRunShare = 0.41, kPromptRunShare = 0.8;
// The same of what hosts of a kind vary by from step to step: rounds of 3.5 s beside single steps,
// tools/engine_truth/prompt_launches.py.
inline constexpr double kHostRunShare = 0.53;

struct StepAtEnd {
  Seconds gpu;
  HostStep host;
};

// `at_end`: the host where its machine is at that end; none: nothing is known to vary. What is not known of
// launches (HostModel::launch) is at its end whole, since no step says more of it than another. Deviations of
// kernels and host are scaled so that the whole step deviates by the root of the sum of their squares.
struct HostAsked {
  const HostModel& host;
  const HostModel* at_end;
  std::int64_t sequences = 0;
  LaunchMode mode = LaunchMode::Graph;
  bool async = true;
};
StepAtEnd step_at_end(const StepCost& cost, bool prompts, StepTime time, const HostAsked& asked);

}  // namespace warploom
