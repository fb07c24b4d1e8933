// One flag for the two reasons for which a search ends early: it is cancelled, or its time is over.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace warploom {

// `cancelled` may be null and must outlive the watch; `time_limit` in s from now, 0: none.
class StopWatch {
 public:
  StopWatch(const std::atomic<bool>* cancelled, double time_limit);
  const std::atomic<bool>& stopped() const { return stopped_; }

 private:
  std::atomic<bool> stopped_{false};
  std::jthread watcher_;  // last: it ends before the flag does
};

}  // namespace warploom
