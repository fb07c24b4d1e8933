#include <algorithm>
#include <cmath>

#include "warploom/models/memory_footprint.h"

namespace warploom {
namespace {

// Names and values of the engines' sources, see WindowedCache.
constexpr double kSglangWindowedShare = 0.8;
// vllm/v1/core/kv_cache_utils.py: counts of layers that differ by less are padded to the larger.
constexpr double kVllmPaddedGroups = 1.25;

// Layers of a group: as many as the rarer kind has, unless both kinds have about as many.
std::int64_t group_size(std::int64_t full, std::int64_t windowed) {
  const std::int64_t least = std::min(full, windowed), most = std::max(full, windowed);
  return double(most) < kVllmPaddedGroups * double(least) ? most : least;
}

std::int64_t groups_of(std::int64_t layers, std::int64_t size) { return (layers + size - 1) / size; }

}  // namespace

KvBlocks kv_blocks(const KvFootprint& footprint, WindowedCache windowed, std::int64_t block_size,
                   Bytes extra_per_token) {
  const auto tokens = static_cast<double>(block_size);
  const bool mixed = footprint.full_layers > 0 && footprint.windowed_layers > 0;
  KvBlocks blocks;
  blocks.block = (footprint.per_token() + extra_per_token) * tokens;
  if (mixed && windowed == WindowedCache::OwnPool)
    blocks.block =
        (footprint.full_per_token + kSglangWindowedShare * footprint.windowed_per_token + extra_per_token) *
        tokens;
  if (mixed && windowed == WindowedCache::Released) {
    const std::int64_t size = group_size(footprint.full_layers, footprint.windowed_layers);
    blocks.layout.full = groups_of(footprint.full_layers, size);
    blocks.layout.windowed = groups_of(footprint.windowed_layers, size);
    blocks.layout.window = footprint.window;
    const Bytes layer = std::max(footprint.full_per_token / double(footprint.full_layers),
                                 footprint.windowed_per_token / double(footprint.windowed_layers));
    blocks.block = (layer * double(size) + extra_per_token / double(blocks.layout.full)) * tokens;
  }
  if (blocks.block.value() > 0)
    blocks.layout.state = std::int64_t(std::ceil(footprint.per_request / blocks.block));
  return blocks;
}

}  // namespace warploom
