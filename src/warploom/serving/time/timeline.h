// The states of a run over time: one sample, and a recorder of them.
//
// The recorder keeps about a given number of samples of a run whose length is not known beforehand: when
// full, every second sample goes and the spacing doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "warploom/serving/time/sim_time.h"

namespace warploom {

// The state at one moment, summed over replicas.
struct TimelineSample {
  SimTime time;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  double kv_use = 0;              // share of the blocks, 0 to 1
  std::int64_t batch_tokens = 0;  // of the steps just started
  std::int64_t preemptions = 0;   // so far
  std::int64_t instances = 0;     // that take requests
};

class TimelineRecorder {
 public:
  explicit TimelineRecorder(std::size_t samples) : capacity_(2 * samples) {}

  bool wants(SimTime now) const { return capacity_ > 0 && now >= next_; }
  void add(const TimelineSample& sample) {
    samples_.push_back(sample);
    if (samples_.size() >= capacity_) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < samples_.size(); i += 2) samples_[kept++] = samples_[i];
      samples_.resize(kept);
      spacing_ = SimDuration(spacing_.nanoseconds() * 2);
    }
    next_ = sample.time + spacing_;
  }
  std::vector<TimelineSample> take() { return std::move(samples_); }

 private:
  std::size_t capacity_;
  SimDuration spacing_{1'000'000};
  SimTime next_;
  std::vector<TimelineSample> samples_;
};

}  // namespace warploom
