#include "warploom/app/data/device_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {
namespace {

template <class T>
T member(const Json& document, const char* key, const std::filesystem::path& path) {
  const auto at = document.find(key);
  const bool fits =
      at != document.end() && (std::is_same_v<T, std::string> ? at->is_string() : at->is_number());
  if (!fits)
    throw InvalidInput(
        fmt::format("{}: '{}' is missing or of another type, expected device.json of warploom-collect",
                    path.string(), key));
  return at->get<T>();
}

std::int64_t whole_number(const Json& document, const char* key, const std::filesystem::path& path) {
  constexpr double kMost = 1e15;
  const auto value = member<double>(document, key, path);
  if (!(value >= 0 && value <= kMost))
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected 0 to {:g}", path.string(), key, value, kMost));
  return static_cast<std::int64_t>(value);
}

}  // namespace

const double* DeviceConstants::find(std::string_view name) const {
  const auto at =
      std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
  return at == values.end() ? nullptr : &at->second;
}

DeviceConstants read_device_constants(const std::filesystem::path& path) {
  const Json document = read_json_file(path);
  if (!document.is_object() || member<std::string>(document, "schema", path) != "warploom_device")
    throw InvalidInput(fmt::format("{}: is no device.json of warploom-collect", path.string()));
  if (const auto version = whole_number(document, "version", path); version != 1)
    throw Unsupported(
        fmt::format("{}: version {} is newer than this program, which reads 1", path.string(), version));
  DeviceConstants constants;
  constants.gpu = member<std::string>(document, "gpu", path);
  constants.sm_count = whole_number(document, "sm_count", path);
  constants.l2_bytes = whole_number(document, "l2_bytes", path);
  constants.memory_bytes = whole_number(document, "memory_bytes", path);
  if (const auto at = document.find("constants"); at != document.end() && at->is_object())
    for (const auto& [name, value] : at->items())
      if (value.is_number() && value.get<double>() > 0)
        constants.values.emplace_back(name, value.get<double>());
  return constants;
}

GpuSpec fitted_record(GpuSpec gpu, const DeviceConstants& constants) {
  const auto take = [&](std::string_view name, const auto& set) {
    if (const double* value = constants.find(name)) set(*value);
  };
  gpu.sm_count = constants.sm_count;
  gpu.l2_capacity = Bytes(double(constants.l2_bytes));
  gpu.memory_capacity = Bytes(double(constants.memory_bytes));
  double dram = 0;
  for (const char* name : {"dram_copy_gb_per_s", "dram_copy_library_gb_per_s", "dram_triad_gb_per_s"})
    take(name, [&](double rate) { dram = std::max(dram, rate); });
  if (dram > 0) gpu.memory_bandwidth = BytesPerSecond(dram * 1e9);
  take("l2_read_gb_per_s", [&](double rate) { gpu.l2_bandwidth = BytesPerSecond(rate * 1e9); });
  take("host_to_device_gb_per_s", [&](double rate) { gpu.pcie_bandwidth = BytesPerSecond(rate * 1e9); });
  // Lanes and banks are whole powers of two; what is lost to loops is not the chip's.
  const auto power_of_two = [](double value) { return std::exp2(std::round(std::log2(value))); };
  take("special_function_per_clock_per_sm",
       [&](double rate) { gpu.special_function_lanes = power_of_two(rate); });
  take("shared_bytes_per_clock_per_sm",
       [&](double rate) { gpu.shared_bytes_per_clock = power_of_two(rate); });
  // Clocks move in steps of 15 MHz.
  take("sm_clock_mhz",
       [&](double mhz) { gpu.max_clock = std::max(gpu.boost_clock, Hertz(std::round(mhz / 15) * 15e6)); });
  gpu.source +=
      " Clock, DRAM, L2, PCIe, shared-memory and special-function rates: measured by warploom-collect.";
  check_fields(fields_of<GpuSpec>(), &gpu, "device.json");
  return gpu;
}

}  // namespace warploom
