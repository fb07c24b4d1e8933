// The SM clock of this moment, counted on the GPU: the driver's figure is tens of milliseconds old, in which
// a heavy operator may have pulled the clock down by a third.
#pragma once

#include <cstdint>

namespace warploom::collector {

// The SM clock of the GPU that is current when the object is made.
class SmClock {
 public:
  SmClock();  // throws DeviceLost, Unmeasurable without memory
  ~SmClock();
  SmClock(const SmClock&) = delete;
  SmClock& operator=(const SmClock&) = delete;

  // Takes about 40 us on an idle GPU. Throws DeviceLost.
  double megahertz();

 private:
  struct Count {
    std::uint64_t cycles, nanoseconds;
  };
  void* stream_ = nullptr;
  Count* count_ = nullptr;  // on the host, written by the GPU
};

}  // namespace warploom::collector
