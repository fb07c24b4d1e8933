// Steps over keys of the query tiles of one request, in closed form.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "warploom/kernels/attention/attention_tiling.h"

namespace warploom {

struct TileSteps {
  double tiles = 1;    // per request and head (packed: KV head)
  double mean = 1;     // steps of a tile
  double longest = 1;  // of the tile that sees most keys
};

// Mean number of key tiles that a tile of `per_tile` tokens sees through a window, over where it can begin:
// multiples of the common divisor of both sizes.
inline double windowed_steps(double window, double per_tile, double keys) {
  const bool whole = per_tile == std::floor(per_tile);
  const double grain = whole ? double(std::gcd(std::int64_t(per_tile), std::int64_t(keys))) : 1.0;
  return (std::floor((per_tile - 1) / grain) - std::floor((1 - window) / grain)) * grain / keys + 1;
}

// Mean over tiles from the mean of where they begin and end, rounded up by half a step: within 2 % of the
// count over tiles, exact for one tile and for full tiles of whole steps.
inline TileSteps tile_steps(const AttentionView& view, const RequestGroup& group,
                            const AttentionTiling& tiling) {
  constexpr double kUnlimited = 1e9;
  const double queries = double(group.query_tokens), context = double(group.context_tokens);
  const double share = tiling.packs_group ? double(view.group) : 1.0, keys = double(tiling.keys);
  const double window = view.window > 0 && view.causal ? double(view.window) : kUnlimited;
  const double per_tile = double(tiling.query_rows) / share;  // tokens of one tile
  TileSteps steps;
  steps.tiles = std::ceil(queries / per_tile);
  const double n = steps.tiles;
  const double all = std::ceil((context + queries) / keys);
  if (!view.causal) {
    steps.mean = steps.longest = all;
    return steps;
  }
  const double seen = window < kUnlimited ? windowed_steps(window, per_tile, keys) : all;
  steps.longest = std::min(all, std::ceil(seen - 1e-9));
  if (n <= 1) {
    const double first = std::floor(std::max(0.0, context - window + 1) / keys);
    steps.mean = std::clamp(all - first, 1.0, steps.longest);
    return steps;
  }
  const double end = context + ((n - 1) / 2 * per_tile + queries / n);
  const double whole = std::clamp(std::ceil((window - 1 - context) / per_tile), 0.0, n);  // begin at key 0
  const double begin =
      whole < n ? std::max(0.0, ((whole + n - 1) / 2 * per_tile + context - window + 1) * (n - whole) / n)
                : 0;
  const double rounding = window < kUnlimited ? seen - (per_tile + window - 1) / keys
                                              : 0.5 * (1 - std::min(1.0, per_tile / keys));
  steps.mean = std::clamp((end - begin) / keys + rounding, 1.0, steps.longest);
  return steps;
}

}  // namespace warploom
