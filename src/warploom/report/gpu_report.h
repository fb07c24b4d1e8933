// Listings of GPUs.
#pragma once

#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/hardware/gpu_spec.h"

namespace warploom {

std::string gpu_list_text(const std::vector<GpuSpec>& gpus);
std::string gpu_text(const GpuSpec& gpu);
// The record, as in data/gpus.
Json gpu_json(const GpuSpec& gpu);
// {"gpus": [record...]}, records as in data/gpus.
Json gpu_list_json(const std::vector<GpuSpec>& gpus);

}  // namespace warploom
