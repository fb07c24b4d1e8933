// What a kernel may be launched with at one key of a tuned file, and what each takes by the GPU's record.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/fused_moe/engine_default.h"
#include "warploom/tuner/record_rules.h"

namespace warploom {

struct KeyLaunches {
  std::int64_t key = 1;  // tokens: of kMoeLadder for products and experts
  // Keys around it where the file is nested: file[above...][key][below...].
  std::vector<std::int64_t> above = {}, below = {};
  MoeConfig usual;  // the engine's, without a file, at the key
  // The compiler takes them; the default stands among them where it does.
  std::vector<MoeConfig> configs;
  // ln(time) of each, up to a constant: the mean over the token counts that look the key up.
  std::vector<double> log_times;
  TimeErrors errors;  // of log_times

  std::vector<TileConfig> tiles() const {
    std::vector<TileConfig> all;
    for (const MoeConfig& config : configs) all.push_back(config.tile);
    return all;
  }
};

}  // namespace warploom
