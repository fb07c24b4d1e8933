// A whole serving run.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "warploom/serving/metrics.h"
#include "warploom/serving/request.h"
#include "warploom/serving/serving_config.h"
#include "warploom/serving/step_pricer.h"
#include "warploom/serving/step_record.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// Which of the step's times drives the clock. Runs at Low and High bound the metrics of the run at Mid,
// taking the kernels' errors as common to all steps.
enum class StepTime { Low, Mid, High };  // p10, p50, p90

// The state at one moment, summed over replicas.
struct TimelineSample {
  SimTime time;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  double kv_use = 0;              // share of the blocks, 0 to 1
  std::int64_t batch_tokens = 0;  // of the step just started
};

struct SimulationProgress {
  std::int64_t completed = 0;
  std::int64_t total = 0;
  SimTime now;
};

struct SimulationOptions {
  StepTime step_time = StepTime::Mid;
  std::size_t timeline_samples = 1000;  // about this many, evenly spread; 0 = none
  std::size_t recorded_steps = 0;       // the first steps that start at or after record_from are kept
  SimTime record_from{};
  std::function<void(const SimulationProgress&)> on_progress;  // about every hundredth of the requests
  const std::atomic<bool>* cancelled = nullptr;  // set from anywhere: the run stops at the next step
};

// Where the replicas' time went, summed over steps (and replicas).
struct StepTotals {
  std::int64_t steps = 0;
  std::int64_t tokens = 0;  // computed, recomputed ones included
  Seconds gpu_p10, gpu_p50, gpu_p90;
  Seconds collectives;  // part of gpu_p50
  Seconds host;         // what the host adds, HostModel::overhead
};

struct SimulationResult {
  ServingMetrics metrics;
  std::vector<RequestRecord> requests;  // in the order of the workload
  std::vector<TimelineSample> timeline;
  std::vector<StepRecord> steps;    // as many as asked for, in order of their start
  std::vector<KernelTime> kernels;  // GPU time by kernel over all steps
  StepTotals totals;
  std::int64_t preemptions = 0;
  std::int64_t cached_tokens = 0;  // of prompts, found in the prefix cache
  std::int64_t kv_blocks = 0;      // of one replica; 0 = no limit
  bool partial = false;            // cancelled before the end
};

// Replays the workload on `config.data_parallel_size` replicas, requests given out by its
// routing policy. The pricer is cloned. Throws InvalidInput before anything runs: a workload that
// check_workload refuses, a request longer than max_model_len, a KV cache that cannot hold one request, a
// prompt larger than the token budget when prompts may not be split. Deterministic. O(steps * batch) time;
// memory for the records and the live requests.
SimulationResult simulate(const ServingConfig& config, const Workload& workload, const StepPricer& pricer,
                          const SimulationOptions& options = {});

}  // namespace warploom
