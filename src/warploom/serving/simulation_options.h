// How a run is made and watched, and where its time went.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

// Which of the step's times drives the clock. Runs at Low and High bound the metrics of the run at Mid,
// taking the kernels' errors as common to all steps.
enum class StepTime { Low, Mid, High };
template <>
struct EnumNames<StepTime> {
  static constexpr std::array<std::pair<StepTime, std::string_view>, 3> kNames{
      {{StepTime::Low, "p10"}, {StepTime::Mid, "p50"}, {StepTime::High, "p90"}}};
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
  // About every hundredth of the requests; from any thread, one at a time.
  std::function<void(const SimulationProgress&)> on_progress;
  std::size_t threads = 0;  // for replicas that never meet; 0: as many as the machine has
  const std::atomic<bool>* cancelled = nullptr;  // set from anywhere: the run stops at the next step
};

// Where the replicas' time went, summed over steps (and replicas).
struct StepTotals {
  std::int64_t steps = 0;
  std::int64_t tokens = 0;  // computed, recomputed and refused ones included
  std::int64_t images = 0;  // encoded
  Seconds gpu_p10, gpu_p50, gpu_p90;
  Seconds collectives;                         // part of gpu_p50
  Seconds host;                                // what the host adds, HostModel::overhead
  Seconds images_p10, images_p50, images_p90;  // part of the GPU's time: of encoding images
  StepTotals& operator+=(const StepTotals& other) {
    steps += other.steps;
    tokens += other.tokens;
    images += other.images;
    gpu_p10 += other.gpu_p10;
    gpu_p50 += other.gpu_p50;
    gpu_p90 += other.gpu_p90;
    collectives += other.collectives;
    host += other.host;
    images_p10 += other.images_p10;
    images_p50 += other.images_p50;
    images_p90 += other.images_p90;
    return *this;
  }
};

}  // namespace warploom
