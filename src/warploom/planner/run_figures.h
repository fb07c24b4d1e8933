// What one simulated run of a candidate says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/planner/steady_state.h"
#include "warploom/serving/metrics.h"
#include "warploom/serving/simulation_options.h"

namespace warploom {

// How long a run was, and whether it says what the fleet does for good.
struct RunLength {
  Steadiness steadiness = Steadiness::Steady;
  bool finite = false;         // the load as it was stated, with its begin and its end; else a window of it
  std::int64_t requests = 0;   // of the fleet over the run
  std::int64_t simulated = 0;  // of them: those of the instances that were simulated
  Seconds window;              // what is judged: after the warm-up
  double lives = 0;            // of a request, that fit in there
  double growth = 0, growth_low = 0, growth_high = 0;  // share of the arrivals that pile up, and its interval
  static FieldTable describe();
};

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
  // Where pools scale: how much at least k instances of them were held, as rented_shares takes it. Empty: all
  // were, always.
  std::vector<double> held, held_decode;
  RunLength length;
  // Standard errors of the figures of each limit, then of goodput_share, then of class_shares, in s or
  // shares, and the sections of the run that they are from; empty and 0 where it is too short.
  std::vector<double> errors;
  std::int64_t batches = 0;
  static FieldTable describe();  // without the metrics and the length, which describe themselves
};

// Usual: the load, as long as it takes. The others are of an open-ended load. Thorough: many times longer, to
// confirm an answer near its edge. AfterCrowd: as long, from a crowd at its start, judged when that should
// have gone. Saturated: requests wait at any time; what it serves then is its request_throughput.
enum class RunKind { Usual, Thorough, AfterCrowd, Saturated };

// What is asked of a run.
struct RunQuestion {
  StepTime step_time = StepTime::Mid;
  double rate = 0;    // requests/s in place of the load's own; 0: as it comes
  bool whole = true;  // false: the first quarter of the requests; not of a load that is open-ended
  RunKind kind = RunKind::Usual;
  std::int64_t draw = 0;  // of the load, by the seed so many after the first
  // Usual, of an open-ended load: so many are simulated whatever the limits say of them, and more until it
  // is steady; 0: as long as it takes. What ends as soon as it misses for certain misses more often.
  std::int64_t requests = 0;
  auto operator<=>(const RunQuestion&) const = default;
};

}  // namespace warploom
