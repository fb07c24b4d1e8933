#include "warploom/fused_moe/device_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {

std::string engine_device_name(const GpuSpec& gpu) {
  if (gpu.device_name.empty())
    throw Unsupported(fmt::format(
        "{}: how its driver spells its name is not known, and engines look for their file by that "
        "name; expected a GPU whose record has a device_name, or no `output`",
        gpu.name));
  std::string name = gpu.device_name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace warploom
