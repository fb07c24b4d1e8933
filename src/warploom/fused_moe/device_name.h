// GPUs as engines spell them in file names.
#pragma once

#include <string>
#include <string_view>

namespace warploom {

// The driver's name with underscores, for example "NVIDIA_H100_80GB_HBM3". Throws Unsupported where it is not
// known: an engine would never open a file of another name.
std::string engine_device_name(std::string_view gpu);

}  // namespace warploom
