// The wave model's formula: time of a tile kernel from its work, in 16 + 6 coefficients of one configuration.
//
// One SM runs `slots` tiles at a time. x tiles side by side need per iteration
//   step(x) = (latency^4 + (x rate line_factor)^4)^(1/4)        latency-bound with few tiles, rate-bound with
//   many latency = latency_base + latency_touch u + latency_cold c + (latency_load + latency_load_touch u)
//   min(w, 1) rate    = rate_base + rate_touch u
// with w the waves (tiles / SMs), u the first-touch share and c whether operands are cold. A round of x tiles
// takes L step(x) + round + tile x. Up to `slots` tiles an SM the grid is one round of ceil(w) tiles. Beyond,
// full rounds and a rest that is packed (share packing x min(1, 2 rest / slots)) or spread; share `drift` of
// the quantisation is lost because tiles drift apart. DRAM needs dram (read + write_cost write). Then
//   T = (launch + launch_tiles min(w, slots) + (rounds^4 + dram^4)^(1/4) + hot) x (1 + L/(L+16) bucket(ceil
//   w))
// where bucket is continuous and piecewise linear with corners at 1, 2, 3, 4, 6 and 10 waves, constant
// beyond.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "warploom/tuner/tile_kernel.h"

namespace warploom {

inline constexpr std::array<float, 6> kBucketWaves = {1, 2, 3, 4, 6, 10};

// Long grids run this share slower than their first ten waves say, in the limit. Source: H200, exhaustive
// shapes beyond the anchors.
inline constexpr float kBeyondCost = 0.06F;

template <class T>
struct WaveCoefficients {
  T slots = 1;
  T launch = 0, launch_tiles = 0;  // us
  T latency_base = 0, latency_touch = 0, latency_cold = 0, latency_load = 0, latency_load_touch = 0;
  T math = 0, feed = 0, feed_touch = 0;  // us an iteration
  T round = 0, tile = 0;            // us
  T dram = 0;                       // us per 1e6 bytes
  T write_cost = 0;                 // a written byte in read bytes
  T drift = 0, packing = 0;         // shares
  T crossing = 1, hot = 1;
  std::array<T, 6> bucket = {};     // relative correction at kBucketWaves
};

namespace detail {

template <class T>
[[gnu::always_inline]] inline T fourth_norm(T a, T b) {
  const T a2 = a * a, b2 = b * b;
  return std::sqrt(std::sqrt(a2 * a2 + b2 * b2));
}
// Vectorisable rounding of values in [0, 2^31).
template <class T>
[[gnu::always_inline]] inline T whole(T value) {
  return static_cast<T>(static_cast<int>(value));
}
template <class T>
[[gnu::always_inline]] inline T whole_up(T value) {
  const T low = whole(value);
  return low + static_cast<T>(static_cast<int>(low < value));
}

// The hat functions' sum without branches.
template <class T>
[[gnu::always_inline]] inline T bucket_correction(const std::array<T, 6>& bucket, T waves) {
  T sum = bucket[0];
  for (std::size_t i = 0; i + 1 < bucket.size(); ++i) {
    const T width = T(kBucketWaves[i + 1] - kBucketWaves[i]);
    const T inside = std::min(width, std::max(T(0), waves - T(kBucketWaves[i])));
    sum += (bucket[i + 1] - bucket[i]) * (inside / width);
  }
  return sum;
}

}  // namespace detail

// Microseconds. O(1), no allocation.
template <class T>
[[gnu::always_inline]] inline T wave_time(const WaveCoefficients<T>& c, const TileWork& work) {
  const T waves = std::min(T(work.waves), T(1e9)), iterations = T(work.iterations);
  const T touch = T(work.first_touch), active = std::min(waves, T(1));
  const T latency = c.latency_base + c.latency_touch * touch + c.latency_cold * T(work.cold) +
                    (c.latency_load + c.latency_load_touch * touch) * active;
  const T feed = (c.feed + c.feed_touch * touch) * (T(1) + c.crossing * T(work.crossing));
  const T rate = detail::fourth_norm(c.math, feed);
  const T ratio = waves / c.slots;
  const T rounds = detail::whole(ratio + T(1e-5));
  const T rest = std::max(T(0), waves - rounds * c.slots);
  const T rest_tiles = detail::whole_up(rest - T(1e-5));
  const T full = iterations * detail::fourth_norm(latency, c.slots * rate) + c.round + c.tile * c.slots;
  const T spread =
      iterations * detail::fourth_norm(latency, rest_tiles * rate) + c.round + c.tile * rest_tiles;
  // Arithmetic instead of branches: whole numbers cut to 0 or 1.
  const T has_rounds = std::min(rounds, T(1)), has_rest = std::min(rest_tiles, T(1));
  // A few tiles left over start on SMs of their own; half a round of them already fills SMs two by two.
  const T packed = c.packing * std::min(T(1), T(2) * rest / c.slots);
  const T last = has_rest * (spread + has_rounds * packed * (full - spread));
  const T quantised = rounds * full + last;
  const T compute = quantised + has_rounds * c.drift * (ratio * full - quantised);
  const T dram = c.dram * (T(work.read_mb) + c.write_cost * T(work.write_mb));
  const T time = c.launch + c.launch_tiles * std::min(waves, c.slots) + detail::fourth_norm(detail::fourth_norm(compute, dram), c.hot * T(work.hot_us));
  const T correction = detail::bucket_correction(c.bucket, detail::whole_up(waves - T(1e-5)));
  const T beyond = T(1) - std::min(T(1), T(kBucketWaves.back()) / std::max(waves, T(1)));
  return time * (T(1) + iterations / (iterations + T(16)) * correction + T(kBeyondCost) * beyond);
}

}  // namespace warploom
