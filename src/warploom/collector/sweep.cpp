#include "warploom/collector/sweep.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>
#include <random>

#include "warploom/collector/failure.h"
#include "warploom/collector/watchdog.h"

namespace warploom::collector {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kReferenceSeconds = 20e-6;  // at least: shorter ones show launches more than the device

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The plan's order by blocks, shuffled within.
std::vector<std::size_t> order_of(std::size_t cases, const SweepOptions& options) {
  std::vector<std::size_t> order(cases);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::mt19937_64 random(options.seed);
  const std::size_t block = std::max<std::size_t>(1, options.block);
  for (std::size_t first = 0; first < cases; first += block)
    for (std::size_t last = std::min(cases, first + block); last > first + 1; --last)
      std::swap(order[last - 1], order[first + random() % (last - first)]);
  return order;
}

class Sweep {
 public:
  Sweep(MeasuringDevice& device, SweepFile& file, const SweepOptions& options)
      : device_(device), file_(file), options_(options) {
    if (options.on_stall) watchdog_.emplace(options.stall_seconds, options.on_stall);
  }

  void run(std::span<const PlannedCase> plan, const std::atomic<bool>& stop,
           const std::function<void(std::string_view)>& progress) {
    const std::vector<std::size_t> order = order_of(plan.size(), options_);
    summary_.planned = plan.size();
    double last_line = 0;
    settle();  // the clock of a device at rest
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (stop.load()) {
        summary_.end = SweepEnd::Stopped;
        break;
      }
      if (since(start_) >= options_.seconds) {
        summary_.end = SweepEnd::TimeUp;
        break;
      }
      measure(plan[order[i]]);
      repeat_reference();
      if (since(start_) - last_line < options_.progress_seconds) continue;
      last_line = since(start_);
      progress(progress_line(i + 1));
    }
    summary_.seconds = since(start_);
  }

  SweepSummary summary_;

 private:
  void measure(const PlannedCase& planned) {
    const std::vector<MeasuringDevice::Kernel> kernels = device_.kernels(planned.op);
    bool any = false;
    for (const MeasuringDevice::Kernel& kernel : kernels) {
      if (!planned.kernel.empty() && kernel.name != planned.kernel) continue;
      any = true;
      if (!file_.is_done(planned.op, kernel.name)) measure_kernel(planned.op, kernel);
    }
    if (!any)
      ++summary_.unmeasurable["no kernel for " + planned.op.family() +
                              (planned.kernel.empty() ? "" : " named " + planned.kernel)];
  }

  void measure_kernel(const OperatorText& op, const MeasuringDevice::Kernel& kernel) {
    if (watchdog_) watchdog_->beat(kernel.name + " of " + op.text());
    try {
      const std::unique_ptr<PreparedCase> prepared = device_.prepare(op, kernel.name);
      const bool settled = settle();
      const MedianEstimate latency = sample_case(*prepared, options_.sampling);
      const DeviceState state = device_.state();
      file_.append({op, kernel, latency, state, prepared->algorithm(), !settled});
      ++summary_.measured;
      if (!settled) ++summary_.throttled;
      if (latency.relative_half_width > options_.sampling.relative_half_width) ++summary_.uncertain;
      if (!reference_ && latency.median > kReferenceSeconds) reference_ = Reference{op, kernel.name};
    } catch (const Unmeasurable& reason) {
      ++summary_.unmeasurable[reason.what()];
    }
  }

  // Waits for the clock to recover. False when it does not.
  bool settle() {
    constexpr double kPause = 5e-3;
    for (double waited = 0;; waited += kPause) {
      const double clock = device_.state().sm_clock_mhz;
      if (clock < 0) return true;  // nobody knows
      highest_clock_ = std::max(highest_clock_, clock);
      if (clock >= options_.clock_share * highest_clock_) return true;
      if (waited >= options_.settle_seconds) return false;
      device_.rest(kPause);
    }
  }

  void repeat_reference() {
    if (!reference_ || summary_.measured < next_reference_) return;
    next_reference_ = summary_.measured + std::max<std::size_t>(1, options_.reference_every);
    try {
      const auto prepared = device_.prepare(reference_->op, reference_->kernel);
      if (settle()) summary_.reference_seconds.push_back(sample_case(*prepared, options_.sampling).median);
    } catch (const Unmeasurable&) {
      reference_.reset();  // it was measurable before; memory may have gone to others
    }
  }

  std::string progress_line(std::size_t done) const {
    const double seconds = since(start_);
    char line[200];
    std::snprintf(line, sizeof line,
                  "%5.0f s of %.0f: %zu of %zu operators (%.0f %%), %zu rows, %zu throttled, drift %.1f %%",
                  seconds, options_.seconds, done, summary_.planned,
                  100.0 * double(done) / double(summary_.planned), summary_.measured, summary_.throttled,
                  100 * drift_of(summary_));
    return line;
  }

  struct Reference {
    OperatorText op;
    std::string kernel;
  };
  MeasuringDevice& device_;
  SweepFile& file_;
  const SweepOptions& options_;
  const Clock::time_point start_ = Clock::now();
  std::optional<Reference> reference_;
  std::size_t next_reference_ = 0;
  double highest_clock_ = 0;
  std::optional<Watchdog> watchdog_;
};

}  // namespace

SweepSummary run_sweep(MeasuringDevice& device, std::span<const PlannedCase> plan, SweepFile& file,
                       const SweepOptions& options, const std::atomic<bool>& stop,
                       const std::function<void(std::string_view)>& progress) {
  Sweep sweep(device, file, options);
  sweep.run(plan, stop, progress);
  return std::move(sweep.summary_);
}

double drift_of(const SweepSummary& summary) {
  if (summary.reference_seconds.size() < 2) return 0;
  const auto [low, high] =
      std::minmax_element(summary.reference_seconds.begin(), summary.reference_seconds.end());
  return *high / *low - 1;
}

}  // namespace warploom::collector
