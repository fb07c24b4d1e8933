// Which configuration the times of one key give.
#pragma once

#include <functional>
#include <map>

#include "warploom/fused_moe/config_table.h"

namespace warploom {

// us, by token count and configuration: those that look one key up, timed together.
using KeyTimes = std::map<std::int64_t, std::map<MoeConfig, double>>;

// ln: medians of 21 interleaved replays of one configuration, repeated with another routing, differ by less.
inline constexpr double kTimingNoise = 0.01;

// The fastest by the geometric mean over the token counts, where it beats what the engine launches at each
// without a file by more than the timings' noise and is nowhere slower than by that; else the default. Asks
// for a time of the default at each token count and of some configuration at `key`.
MoeConfigRow measured_row(std::int64_t key, const std::function<MoeConfig(std::int64_t tokens)>& usual,
                          const KeyTimes& times);

}  // namespace warploom
