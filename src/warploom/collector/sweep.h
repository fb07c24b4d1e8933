// Runs a plan on a device.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/collector/sampler.h"
#include "warploom/collector/sweep_file.h"
#include "warploom/collector/sweep_plan.h"

namespace warploom::collector {

struct SweepOptions {
  double seconds = 600;  // no operator is begun after that
  SamplingOptions sampling;
  std::uint64_t seed = 1;
  // The plan is run in its order by blocks and in random order within one, so that a device that warms up or
  // slows down does not look like the influence of a size.
  std::size_t block = 512;
  std::size_t reference_every = 250;  // rows, after which one operator is timed again to see drift
  double progress_seconds = 5;
  // A row begins when the clock is at least this share of the highest seen, after this long a wait at most;
  // else it is marked throttled. Without the wait, heavy operators slow down what comes after them: rows of
  // one operator then differ by 3 % in the mean (H200, 20,000 rows).
  double clock_share = 0.95, settle_seconds = 0.15;
  // Called with what was being timed when one operator takes that long, from another thread: the device hangs
  // and nothing but the end of the program helps. Rows before it are on disk. Empty: nobody watches.
  double stall_seconds = 60;
  std::function<void(const std::string&)> on_stall;
};

enum class SweepEnd { Complete, TimeUp, Stopped };

struct SweepSummary {
  SweepEnd end = SweepEnd::Complete;
  std::size_t planned = 0;  // operators and kernels that are not done yet at the start; known ones only
  std::size_t measured = 0, throttled = 0,
              uncertain = 0;  // throttled: begun at a low clock; uncertain: the interval stayed too wide
  std::map<std::string, std::size_t> unmeasurable;  // by reason
  std::vector<double> reference_seconds;            // repeated timings of one operator
  double seconds = 0;
};

// Appends a row to the file for each operator and kernel that it lacks. `stop` may be set from a signal
// handler: the row under way is finished, then the sweep ends. Throws DeviceLost, FileFailure; rows stay.
SweepSummary run_sweep(MeasuringDevice& device, std::span<const PlannedCase> plan, SweepFile& file,
                       const SweepOptions& options, const std::atomic<bool>& stop,
                       const std::function<void(std::string_view)>& progress);

// Largest over smallest of the repeated timings, less 1; 0 with fewer than two.
double drift_of(const SweepSummary& summary);

}  // namespace warploom::collector
