// device.json beside a sweep: what the device is, its rates and gaps, and how the sweep went.
#pragma once

#include <filesystem>
#include <span>

#include "warploom/collector/sweep.h"

namespace warploom::collector {

// {"schema": "warploom_device", "version": 1, "gpu": name, ..., "constants": {name: value}, "sweep": {...}}.
// Written whole or not at all. Throws FileFailure.
void write_device_file(const std::filesystem::path& path, const DeviceFacts& facts, const DeviceState& state,
                       std::span<const DeviceConstant> constants, const SweepSummary& summary);

}  // namespace warploom::collector
