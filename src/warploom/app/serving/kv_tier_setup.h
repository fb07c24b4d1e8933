// Sizes and speeds of the tiers below a replica's prefix cache, from the engine's flags.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/kv/kv_tiers.h"

namespace warploom {

// `kv_per_gpu`: bytes that one token takes on one GPU; `gpu_tokens`: of the replica's cache. Host memory is
// read over each GPU's own PCIe link, the disk over one path for the whole replica. Throws InvalidInput on a
// disk without host memory.
KvTierConfig kv_tiers_of(const ServingConfig& config, const GpuSpec& gpu, Bytes kv_per_gpu, std::int64_t gpus,
                         std::int64_t gpu_tokens);

}  // namespace warploom
