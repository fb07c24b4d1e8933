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
  std::string triton = "3.8.0";  // whose folder SGLang's experts and adapters are written for
  std::int64_t lora_rank = 0;    // that the engine makes room for; 0: it serves no adapters
  std::int64_t adapters = 1;     // of one step
};

}  // namespace warploom
