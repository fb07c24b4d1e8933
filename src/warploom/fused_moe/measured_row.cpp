#include "warploom/fused_moe/measured_row.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace warploom {
namespace {

struct Gain {
  double mean = 0, least = 0;  // ln, over the token counts
};

std::optional<Gain> gain_of(const MoeConfig& config, const std::function<MoeConfig(std::int64_t)>& usual_of,
                            const KeyTimes& times) {
  Gain gain{.mean = 0, .least = 1e9};
  for (const auto& [tokens, of_config] : times) {
    const auto usual = of_config.find(usual_of(tokens)), mine = of_config.find(config);
    if (usual == of_config.end() || mine == of_config.end()) return std::nullopt;
    const double here = std::log(usual->second / mine->second);
    gain.mean += here / double(times.size());
    gain.least = std::min(gain.least, here);
  }
  return gain;
}

}  // namespace

MoeConfigRow measured_row(std::int64_t key, const std::function<MoeConfig(std::int64_t)>& usual,
                          const KeyTimes& times) {
  MoeConfigRow row{.tokens = key, .config = {}, .engine_default = usual(key)};
  row.config = row.engine_default;
  row.is_default = true;
  double best = kTimingNoise;
  for (const auto& [config, us] : times.at(key)) {
    const std::optional<Gain> gain = gain_of(config, usual, times);
    if (!gain || gain->mean <= best || gain->least <= -kTimingNoise || config == row.engine_default) continue;
    best = gain->mean;
    row.config = config;
    row.is_default = false;
  }
  if (row.is_default) return row;
  row.speedup = std::exp(best);
  row.speedup_p10 = std::exp(best - kTimingNoise);
  row.speedup_p90 = std::exp(best + kTimingNoise);
  return row;
}

}  // namespace warploom
