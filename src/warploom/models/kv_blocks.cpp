#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/models/memory_footprint.h"

namespace warploom {
namespace {

// Names and values of the engines' sources, see WindowedCache.
constexpr double kSglangWindowedShare = 0.8;
// vllm/v1/core/kv_cache_planning.py of 0.33.0: counts of layers that differ by less are padded to the larger.
constexpr double kVllmPaddedGroups = 1.5;

// Layers of a group: as many as the rarer kind has, unless both kinds have about as many.
std::int64_t group_size(std::int64_t one, std::int64_t other) {
  const std::int64_t least = std::min(one, other), most = std::max(one, other);
  return double(most) < kVllmPaddedGroups * double(least) ? most : least;
}

std::int64_t groups_of(std::int64_t layers, std::int64_t size) { return (layers + size - 1) / size; }

// Blocks are of one size: the layers that keep less of a token have more tokens in each.
std::int64_t stretch_of(Bytes layer, Bytes widest) {
  const double ratio = widest / layer;
  if (ratio != std::floor(ratio))
    throw Unsupported(
        fmt::format("KV cache: layers that keep {:g} and {:g} bytes of a token share no size of block, "
                    "expected one to be a multiple of the other",
                    layer.value(), widest.value()));
  return std::int64_t(ratio);
}

void lay_out_hybrid(KvBlocks& blocks, const KvFootprint& footprint, double tokens, Bytes extra_per_token) {
  const std::int64_t size = group_size(footprint.full_layers, footprint.windowed_layers);
  KvLayout& layout = blocks.layout;
  layout.full = groups_of(footprint.full_layers, size);
  layout.windowed = groups_of(footprint.windowed_layers, size);
  layout.window = footprint.window;
  const Bytes full = footprint.full_per_token / double(footprint.full_layers);
  const Bytes windowed = footprint.windowed_per_token / double(footprint.windowed_layers);
  const Bytes widest = std::max(full, windowed);
  layout.full_stretch = stretch_of(full, widest);
  layout.windowed_stretch = stretch_of(windowed, widest);
  const Bytes extra = extra_per_token * double(layout.full_stretch) / double(layout.full);
  blocks.block = (widest * double(size) + extra) * tokens;
}

// Blocks hold as many tokens as make them no smaller than a state, and each group of states takes one.
void lay_out_states(KvBlocks& blocks, const KvFootprint& footprint, double tokens, Bytes extra_per_token,
                    const KeptStates& kept) {
  const std::int64_t size = group_size(footprint.full_layers, footprint.state_layers);
  const Bytes layer = footprint.full_per_token / double(footprint.full_layers);
  KvLayout& layout = blocks.layout;
  layout.full = groups_of(footprint.full_layers, size);
  layout.full_stretch =
      std::max<std::int64_t>(1, std::int64_t(std::ceil(footprint.widest_state / (layer * tokens))));
  layout.kept_state = groups_of(footprint.state_layers, size);
  layout.state = layout.kept_state * (1 + kept.of_drafts);
  layout.states_kept = kept.keeping;
  const double held = tokens * double(layout.full_stretch);
  blocks.block = (layer * double(size) + extra_per_token / double(layout.full)) * held;
}

// Layers with states beside layers that keep every token, and nothing else: no windows of either kind.
bool has_states(const KvFootprint& footprint) {
  return footprint.full_layers > 0 && footprint.windowed_layers == 0 && footprint.state_layers > 0 &&
         footprint.per_request <= double(footprint.state_layers) * footprint.widest_state;
}

}  // namespace

KvBlocks kv_blocks(const KvFootprint& footprint, WindowedCache windowed, std::int64_t block_size,
                   Bytes extra_per_token, const KeptStates& kept) {
  const auto tokens = static_cast<double>(block_size);
  const bool mixed = footprint.full_layers > 0 && footprint.windowed_layers > 0;
  KvBlocks blocks;
  blocks.block = (footprint.per_token() + extra_per_token) * tokens;
  if (mixed && windowed == WindowedCache::OwnPool)
    blocks.block =
        (footprint.full_per_token + kSglangWindowedShare * footprint.windowed_per_token + extra_per_token) *
        tokens;
  if (mixed && windowed == WindowedCache::Released)
    lay_out_hybrid(blocks, footprint, tokens, extra_per_token);
  if (windowed == WindowedCache::Released && has_states(footprint)) {
    lay_out_states(blocks, footprint, tokens, extra_per_token, kept);
    return blocks;
  }
  if (blocks.block.value() > 0)
    blocks.layout.state = std::int64_t(std::ceil(footprint.per_request / blocks.block));
  return blocks;
}

}  // namespace warploom
