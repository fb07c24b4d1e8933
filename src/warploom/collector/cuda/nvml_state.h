// Clocks, power, temperature and throttling through the driver's management library, which is loaded at run
// time: a machine without it can still be swept.
#pragma once

#include <memory>
#include <string>

#include "warploom/collector/device.h"

namespace warploom::collector {

class NvmlState {
 public:
  // `bus` as cudaDeviceGetPCIBusId gives it. Without the library every figure stays unknown.
  explicit NvmlState(const std::string& bus);
  ~NvmlState();
  NvmlState(const NvmlState&) = delete;
  NvmlState& operator=(const NvmlState&) = delete;

  DeviceState read() const;     // about 0.1 ms; without other_processes
  int other_processes() const;  // that compute on the device, this one left out
  std::string driver() const;   // "" when unknown

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace warploom::collector
