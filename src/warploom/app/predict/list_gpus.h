// Use cases `gpus` and `gpu show`.
#pragma once

#include <string>
#include <vector>

#include "warploom/base/file_scope.h"
#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// Every built-in GPU, in the order of canonical names.
std::vector<GpuSpec> list_gpus();

// By name, alias or path of a user's record. Throws NotFound with the nearest names, or what the record
// violates.
GpuSpec show_gpu(const std::string& name_or_path, const FileScope& files = FileScope::machine());

}  // namespace warploom
