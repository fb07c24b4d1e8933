#include "warploom/base/work_clock.h"

#include <algorithm>
#include <ctime>

#include "warploom/base/peak_memory.h"

namespace warploom {
namespace {

double clock_seconds(clockid_t clock) {
  constexpr double kNanosecond = 1e-9;
  timespec now{};
  clock_gettime(clock, &now);
  return double(now.tv_sec) + kNanosecond * double(now.tv_nsec);
}

}  // namespace

WorkClock::WorkClock() {
  release_free_memory();
  reset_peak_memory();
  bytes_before_ = double(resident_memory());
  cpu_before_ = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  start_ = std::chrono::steady_clock::now();
}

WorkCost WorkClock::cost() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  return {.seconds = spent.count(),
          .cpu_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before_,
          .peak_bytes = std::max(0.0, double(peak_memory()) - bytes_before_)};
}

double thread_cpu_seconds() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace warploom
