// What the configuration learner sees of one grouped product under one configuration on one GPU.
#pragma once

#include "warploom/fused_moe/engine_default.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/learning/feature_row.h"

namespace warploom {

// Changes with the meaning, order or number of the features; model files carry it.
inline constexpr int kConfigFeatureVersion = 1;

// One grouped product: `pairs` token-expert pairs spread evenly over `experts` experts of a GPU, each
// [inner] x [outputs].
struct GroupedProduct {
  double pairs = 1, experts = 1, outputs = 1, inner = 1;
};
// The two products of a layer: gate and up together, then down. `tokens` of the whole group.
std::array<GroupedProduct, 2> products_of(const MoeLayer& layer, std::int64_t tokens);

// Bytes of shared memory that the stages take fit a block, and the accumulator fits the registers.
bool may_run(const MoeConfig& config, const GpuSpec& gpu);

// Waves, fills, padding, occupancy, traffic in shares; sizes; no name of a GPU. 16-bit operands.
void config_features(const GroupedProduct& product, const MoeConfig& config, const GpuSpec& gpu,
                     FeatureRow& row);

}  // namespace warploom
