#include "warploom/serving/host/step_timeline.h"

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {

StepTimeline::StepTimeline(std::size_t stages, std::size_t depth) : stage_free_(stages), pending_(depth) {}

void StepTimeline::reset(SimTime now) {
  std::fill(stage_free_.begin(), stage_free_.end(), now);
  host_free_ = now;
  first_ = count_ = 0;
}

// The end of the last stage. Of whole nanoseconds, equal shares and the rest spread: a product of time and
// stages could leave 64 bits.
SimTime StepTimeline::run_stages(SimTime launch_begin, const HostStep& host, Seconds gpu) {
  const std::int64_t stages = std::ssize(stage_free_);
  const auto share = [stages](std::int64_t whole, std::int64_t stage) {
    if (stages == 1) return SimDuration(whole);
    const std::int64_t rest = whole % stages;
    return SimDuration(whole / stages + rest * (stage + 1) / stages - rest * stage / stages);
  };
  const std::int64_t kernels = to_nanoseconds(gpu), launches = to_nanoseconds(host.launch);
  const SimDuration gap = to_sim_duration(host.gap);
  SimTime end = launch_begin;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    SimTime& free = stage_free_[std::size_t(stage)];
    const bool ran = free > SimTime();
    const SimTime launched = end + share(launches, stage);
    const SimTime begin = ran ? std::max(end, free + gap) : end;
    end = free = std::max(begin + share(kernels, stage), launched);
  }
  return end;
}

StepTimeline::Span StepTimeline::begin(SimTime now, const HostStep& host, Seconds gpu) {
  WARPLOOM_ASSERT(!full());
  const bool serial = pending_.size() == 1;
  const SimTime ready = std::max(now, stage_free_.front());
  const SimTime launch_begin = std::max(now, host_free_) + to_sim_duration(host.before);
  const SimTime gpu_end = run_stages(launch_begin, host, host.busy(gpu));
  const bool one_process = stage_free_.size() == 1;
  host_free_ = one_process ? launch_begin + to_sim_duration(host.launch) : launch_begin;
  pending_[place(count_++)] = {gpu_end, to_sim_duration(host.finish)};
  if (!one_process) {
    const Seconds exposed = std::max(host.launch, host.busy(gpu)) - gpu;
    const Seconds added = host.before + exposed + host.finish;
    return {ready, ready + to_sim_duration(gpu + added), added};
  }
  const SimTime end = serial ? gpu_end + to_sim_duration(host.finish) : gpu_end;
  return {ready, end, (end - ready).seconds() - to_sim_duration(gpu).seconds()};
}

SimTime StepTimeline::end_of(std::size_t at) const {
  WARPLOOM_ASSERT(count_ > 0);
  const Pending& step = pending_[at];
  return std::max(step.gpu_end, host_free_) + step.finish;
}

void StepTimeline::finish(SimTime now) {
  WARPLOOM_ASSERT(count_ > 0);
  first_ = place(1);
  --count_;
  host_free_ = std::max(host_free_, now);
}

}  // namespace warploom
