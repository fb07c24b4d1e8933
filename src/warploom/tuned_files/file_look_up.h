// What decides which tuned files an engine looks for.
#pragma once

#include <string>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"
#include "warploom/tuned_files/engine_release.h"

namespace warploom {

struct FileLookUp {
  const EngineRelease& release;
  const ModelArchitecture& model;
  const Sharding& sharding;
  const GpuSpec& gpu;
  std::string triton = "3.8.0";  // whose folder SGLang's experts are written for
};

}  // namespace warploom
