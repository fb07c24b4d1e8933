// The seam between a sweep and the hardware that runs it: a real GPU (cuda/) or a simulated one (tests).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "warploom/collector/operator_text.h"

namespace warploom::collector {

// What does not change during a sweep.
struct DeviceFacts {
  std::string name;  // as the driver gives it: "NVIDIA H200"
  std::string driver;
  std::string libraries;       // "cublasLt 13.1.0, cuDNN 9.14.0"
  int compute_capability = 0;  // 90
  int sm_count = 0;
  std::int64_t memory_bytes = 0, free_bytes = 0, l2_bytes = 0;
};

// What does. Negative numbers: the driver does not tell.
struct DeviceState {
  double sm_clock_mhz = -1, memory_clock_mhz = -1, power_w = -1, temperature_c = -1;
  std::string throttle;     // reasons in words joined by '+', empty: none
  int other_processes = 0;  // that compute on this device
};

// A rate or a gap of the device; the unit ends the name: "dram_copy_gb_per_s".
struct DeviceConstant {
  std::string name;
  double value = 0;
};

// One operator, its buffers and its graph of launches ready to run.
class PreparedCase {
 public:
  virtual ~PreparedCase() = default;
  // Runs the graph once; the mean time of one launch in it, in seconds. Throws DeviceLost.
  virtual double run() = 0;
  // What the library chose, "" when nothing is known: "tile=128x256 stages=4 split_k=1 cluster=2x1x1".
  virtual std::string algorithm() const { return ""; }
};

// Implementations are used from one thread.
class MeasuringDevice {
 public:
  virtual ~MeasuringDevice() = default;
  virtual DeviceFacts facts() = 0;
  virtual DeviceState state() = 0;
  // Leaves the device idle, so that its clock recovers from what ran before.
  virtual void rest(double seconds) = 0;
  // Takes seconds. Throws DeviceLost.
  virtual std::vector<DeviceConstant> constants() = 0;

  struct Kernel {
    std::string name;     // "cublaslt"
    std::string version;  // of the library that holds it
  };
  // The kernels that can measure the operator here; empty: none.
  virtual std::vector<Kernel> kernels(const OperatorText& op) = 0;
  // Throws Unmeasurable (with the reason) or DeviceLost.
  virtual std::unique_ptr<PreparedCase> prepare(const OperatorText& op, const std::string& kernel) = 0;
};

}  // namespace warploom::collector
