// GPUs as engines spell them in file names.
#pragma once

#include <string>

#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// The driver's name with underscores in place of blanks, as vLLM and SGLang make it, for example
// "NVIDIA_H100_80GB_HBM3". Throws Unsupported where the record does not have it: an engine would never open
// a file of another name.
std::string engine_device_name(const GpuSpec& gpu);

}  // namespace warploom
