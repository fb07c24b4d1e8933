// device.json of warploom-collect: rates and gaps of one GPU.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/hardware/gpu_spec.h"

namespace warploom {

struct DeviceConstants {
  std::string gpu;  // as the driver names it
  std::int64_t sm_count = 0, l2_bytes = 0, memory_bytes = 0;
  std::vector<std::pair<std::string, double>> values;  // by name, the unit at its end

  // nullptr without it.
  const double* find(std::string_view name) const;
};

// Throws IoError, InvalidInput naming file and key, Unsupported for a newer version.
DeviceConstants read_device_constants(const std::filesystem::path& path);

// The record with what was measured in place of the data sheet: highest clock, DRAM and L2 bandwidth,
// special-function and shared-memory rates, PCIe, and the sizes that the driver reports. Its source says so.
GpuSpec fitted_record(GpuSpec gpu, const DeviceConstants& constants);

}  // namespace warploom
