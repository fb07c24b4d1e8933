// What one simulated run of a candidate says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/serving/metrics.h"
#include "warploom/serving/simulation_options.h"

namespace warploom {

struct RunFigures {
  ServingMetrics metrics;
  std::string refused;               // why it could not be run after all; empty: it was run
  double goodput_share = 0;          // of all requests: those that meet ServiceLevel::goodput
  std::vector<double> class_shares;  // of each class of the level: requests that meet its limits
  std::vector<std::int64_t> over;    // requests that exceed the limit of each SloLimit; 0 for ITL
  std::int64_t missed_goodput = 0;   // requests that miss ServiceLevel::goodput
  double queue_share = 0;            // of the mean TTFT: from arrival to the first step
  double energy_j = 0;               // of all GPUs, an estimate; 0: unknown
  std::int64_t preemptions = 0;
  // Of a pool that scales: GPU time held in each hour of the day, as shares of what its largest size would
  // hold over the run; 24 for each pool. Empty: all of it.
  std::vector<double> held;
  double backlog_growth = 0;     // mean TTFT of the last third of the requests over the first third's
  static FieldTable describe();  // without the metrics, which describe themselves
};

// What is asked of a run.
struct RunQuestion {
  StepTime step_time = StepTime::Mid;
  double rate = 0;    // requests/s in place of the load's own; 0: as it comes
  bool whole = true;  // false: the first quarter of the requests
  auto operator<=>(const RunQuestion&) const = default;
};

}  // namespace warploom
