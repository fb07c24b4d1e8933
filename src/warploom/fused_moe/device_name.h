// GPUs as engines spell them in file names.
#pragma once

#include <string>

#include "warploom/fused_moe/moe_layer.h"
#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// vLLM looks the files of experts alone up by the family's name on every H200.
enum class NamedFiles { Experts, Others };

// The driver's name as file names have it, for example "NVIDIA_H100_80GB_HBM3". SGLang puts an underscore in
// place of each blank, vLLM one in place of each run of blanks and slashes, and its experts read NVIDIA_H200
// where "H200" is one of the words. Throws Unsupported where the record has no name: an engine would never
// open a file of another one.
std::string engine_device_name(const GpuSpec& gpu, MoeEngine engine, NamedFiles files = NamedFiles::Experts);

}  // namespace warploom
