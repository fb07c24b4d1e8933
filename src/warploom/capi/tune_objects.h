// What the tuner's plain pointers of the C interface stand for.
#pragma once

#include "warploom/capi/warploom.h"
#include "warploom/tuner/runtime_table.h"

struct warploom_tune_table {
  warploom::RuntimeTable table;
};

namespace warploom {

inline warploom_tile_config config_of(const TilePick& pick) {
  const TileConfig& c = pick.config;
  return {c.tile_m, c.tile_n,  c.tile_k,          c.warps,
          c.stages, c.split_k, pick.predicted_us, pick.is_default ? 1 : 0};
}

inline TileConfig tile_of(const warploom_tile_config& c) {
  return {c.tile_m, c.tile_n, c.tile_k, c.warps, c.stages, c.split_k};
}

}  // namespace warploom
