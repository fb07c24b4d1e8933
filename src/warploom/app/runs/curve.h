// Use case `curve`: the same serving run at several loads, or of several deployments, side by side.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/serving/run_label.h"
#include "warploom/app/serving/simulate_request.h"

namespace warploom {

// Every combination of the lists is one point; an empty list leaves what `run` says.
struct CurveRequest {
  SimulateRequest run;
  std::vector<std::int64_t> concurrencies;
  std::vector<double> rates;  // requests/s
  std::vector<std::int64_t> tensor_parallel;
  std::vector<std::string> quantizations, engines;
  std::vector<std::filesystem::path>
      measured;                    // runs of the real thing, as read_measured_requests takes them
  std::vector<std::string> views;  // kCurveViews
  static FieldTable describe();
};
constexpr std::array<std::string_view, 2> kCurveViews{"svg", "csv"};

// What makes a point another than its neighbours: absent where its list was empty.
struct CurvePlace {
  std::optional<std::int64_t> concurrency;
  std::optional<double> rate;
  std::optional<std::int64_t> tensor_parallel;
  std::optional<std::string> quantization, engine;
};
// In the order of the lists, the last list fastest. Throws InvalidInput where no list is given, where `run`
// says what a list says, on values that no run can have, and on more than kMostCurvePoints.
std::vector<CurvePlace> curve_places(const CurveRequest& request);
constexpr std::size_t kMostCurvePoints = 256;

struct CurvePoint {
  CurvePlace place;
  std::string model, gpu, workload;
  std::int64_t gpus = 1;
  ServingMetrics metrics;
  std::optional<RunInterval> interval;
  Tier tier = Tier::Measured;
  double tokens_per_s_per_gpu() const { return metrics.output_throughput / double(gpus); }
  double tokens_per_s_per_user() const;  // of one who reads along: 1 / mean TPOT; 0 where none was measured
};

struct MeasuredPoint {
  std::string file, generator;
  std::optional<std::int64_t> concurrency;
  ServingMetrics metrics;
  double tokens_per_s_per_gpu = 0;
  double tokens_per_s_per_user() const;
};

struct CurveRun {
  CurvePlace place;
  SimulateRequest request;
};

struct CurveResult {
  std::vector<CurvePoint> points;  // those that ran to their end
  std::vector<MeasuredPoint> measured;
  std::size_t asked = 0;  // points
  bool partial() const { return points.size() < asked; }
};

// Runs on as many threads as the machine has; the result does not depend on them. Measured runs are of as
// many GPUs as the points have, and refused beside points of different numbers. Throws what
// simulate_serving and read_measured_requests throw.
CurveResult simulate_curve(const std::vector<CurveRun>& runs,
                           const std::vector<std::filesystem::path>& measured,
                           const std::shared_ptr<const LatencyModel>& latency,
                           const std::function<void(double done, double total)>& on_progress,
                           const std::atomic<bool>* cancelled);

}  // namespace warploom
