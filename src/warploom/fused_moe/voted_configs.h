// Votes of other GPUs' searches for the configurations of one layer, and which tiles its products can fill.
#pragma once

#include <vector>

#include "warploom/fused_moe/config_model.h"

namespace warploom {

// The votes for each candidate of the model, at kMoeLadder[key]: the mean over the first and last token count
// that look it up and the key itself, and over both products, the first counted twice.
std::vector<double> layer_votes(const MoeLayer& layer, std::size_t key, const GpuSpec& gpu,
                                const ConfigModel& model);

// Whether both products have at least as many steps along the inner length as stages, 32 KiB of weights a
// tile, and an inner length padded by at most a quarter. 16-bit weights.
bool fills_tiles(const TileConfig& tile, const MoeLayer& layer);

// ln(time / time of the best configuration) of both products together, by known times; the first counts
// twice.
double layer_slowdown(const MoeLayer& layer, const MoeConfig& config, std::int64_t tokens, const GpuSpec& gpu,
                      const ConfigModel& model);

// The first and last token count that look up kMoeLadder[key] and the key itself, ascending.
std::vector<std::int64_t> judged_tokens(std::size_t key);

}  // namespace warploom
