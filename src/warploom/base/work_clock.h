// What a piece of work took: time, processor time and memory of its own.
#pragma once

#include <chrono>

namespace warploom {

struct WorkCost {
  double seconds = 0;      // of wall time
  double cpu_seconds = 0;  // of all threads of the process: what others run beside it is not in it
  double peak_bytes = 0;   // held at most beyond what was held before; 0 where the system does not say
};

// Measures from its making on. What earlier work freed is given back to the system first, so that it hides
// nothing of what this work holds. Two at once disturb each other's peak.
class WorkClock {
 public:
  WorkClock();
  WorkCost cost() const;

 private:
  std::chrono::steady_clock::time_point start_;
  double cpu_before_ = 0, bytes_before_ = 0;
};

// Processor time of the calling thread [s].
double thread_cpu_seconds();

}  // namespace warploom
