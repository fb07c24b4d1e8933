// The wave model's formula: time of a tile kernel from its work, in 19 + 6 coefficients of one configuration.
//
// One SM runs `slots` tiles at a time. With |a, b| = (a^4 + b^4)^(1/4), x tiles side by side need per
// iteration
//
//   step(x) = |latency, x rate|     latency-bound with few tiles, rate-bound with many
//   latency = latency_base + latency_touch u + latency_cold c + (latency_load + latency_load_touch u)
//             min(w, 1)
//   rate    = |math, feed|,  feed = (feed + feed_touch u) (1 + crossing x extra line crossings)
//
// with w the waves (tiles / SMs), u the first-touch share and c whether operands are cold. A round of x tiles
// takes L step(x) + round + tile x. Up to `slots` tiles an SM the grid is one round of ceil(w) tiles. Beyond,
// full rounds and a rest that is packed (share packing x min(1, 2 rest / slots)) or spread; share `drift` of
// the quantisation is lost because tiles drift apart. DRAM needs dram (read + write_cost write), lines that
// all tiles want at once hot x hot_us. Then
//   T = (launch + launch_tiles min(w, slots) + |rounds, dram, hot|) x (1 + L/(L+16) bucket(ceil w))
// where bucket is continuous and piecewise linear with corners at 1, 2, 3, 4, 6 and 10 waves, constant
// beyond.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "warploom/tuner/four_floats.h"
#include "warploom/tuner/tile_kernel.h"

namespace warploom {

inline constexpr std::array<float, 6> kBucketWaves = {1, 2, 3, 4, 6, 10};

// Long grids run this share slower than their first ten waves say, in the limit. Source: H200, exhaustive
// shapes beyond the anchors.
inline constexpr float kBeyondCost = 0.06F;

template <class T>
struct WaveCoefficients {
  T slots = T() + 1.0F;
  T launch = T(), launch_tiles = T();  // us
  T latency_base = T(), latency_touch = T(), latency_cold = T(), latency_load = T(), latency_load_touch = T();
  T math = T(), feed = T(), feed_touch = T();  // us an iteration
  T round = T(), tile = T();                   // us
  T dram = T();                                // us per 1e6 bytes
  T write_cost = T();                          // a written byte in read bytes
  T drift = T(), packing = T();                // shares
  T crossing = T() + 1.0F, hot = T() + 1.0F;   // times what the mapping says
  std::array<T, 6> bucket = {};                // relative correction at kBucketWaves
};

namespace detail {

template <class T>
[[gnu::always_inline]] inline T least(T a, T b) {
  return a < b ? a : b;
}
template <class T>
[[gnu::always_inline]] inline T most(T a, T b) {
  return a < b ? b : a;
}
template <class T>
[[gnu::always_inline]] inline T fourth_power(T a) {
  const T square = a * a;
  return square * square;
}
template <class T>
[[gnu::always_inline]] inline T fourth_root(T a) {
  return square_root(square_root(a));
}
template <class T>
[[gnu::always_inline]] inline T whole_up(T value) {
  const T low = truncated(value);
  return low + (low < value ? T() + 1.0F : T());
}

// The hat functions' sum without branches.
template <class T>
[[gnu::always_inline]] inline T bucket_correction(const std::array<T, 6>& bucket, T waves) {
  T sum = bucket[0];
  for (std::size_t i = 0; i + 1 < bucket.size(); ++i) {
    const T width = T() + (kBucketWaves[i + 1] - kBucketWaves[i]);
    const T inside = least(width, most(T(), waves - kBucketWaves[i]));
    sum += (bucket[i + 1] - bucket[i]) * (inside / width);
  }
  return sum;
}

}  // namespace detail

// Microseconds. O(1), no allocation.
template <class T, class Work>
[[gnu::always_inline]] inline T wave_time(const WaveCoefficients<T>& c, const Work& work) {
  const T one = T() + 1.0F;
  const T waves = detail::least(T(work.waves), T() + 1e9F), iterations = T(work.iterations);
  const T touch = T(work.first_touch), active = detail::least(waves, one);
  const T latency = c.latency_base + c.latency_touch * touch + c.latency_cold * T(work.cold) +
                    (c.latency_load + c.latency_load_touch * touch) * active;
  const T feed = (c.feed + c.feed_touch * touch) * (one + c.crossing * T(work.crossing));
  // Norms of norms are one norm: fourth powers add up, and roots are taken once.
  const T rate = detail::fourth_power(c.math) + detail::fourth_power(feed);
  const T alone = detail::fourth_power(latency);
  const T ratio = waves / c.slots;
  const T rounds = truncated(T(ratio + 1e-5F));
  const T rest = detail::most(T(), waves - rounds * c.slots);
  const T rest_tiles = detail::whole_up(rest - 1e-5F);
  const T full = iterations * detail::fourth_root(alone + detail::fourth_power(c.slots) * rate) + c.round +
                 c.tile * c.slots;
  const T spread = iterations * detail::fourth_root(alone + detail::fourth_power(rest_tiles) * rate) +
                   c.round + c.tile * rest_tiles;
  // Arithmetic instead of branches: whole numbers cut to 0 or 1.
  const T has_rounds = detail::least(rounds, one), has_rest = detail::least(rest_tiles, one);
  // A few tiles left over start on SMs of their own; half a round of them already fills SMs two by two.
  const T packed = c.packing * detail::least(one, 2.0F * rest / c.slots);
  const T last = has_rest * (spread + has_rounds * packed * (full - spread));
  const T quantised = rounds * full + last;
  const T compute = quantised + has_rounds * c.drift * (ratio * full - quantised);
  const T dram = c.dram * (T(work.read_mb) + c.write_cost * T(work.write_mb));
  const T busy = detail::fourth_root(detail::fourth_power(compute) + detail::fourth_power(dram) +
                                     detail::fourth_power(T(c.hot * T(work.hot_us))));
  const T time = c.launch + c.launch_tiles * detail::least(waves, c.slots) + busy;
  const T correction = detail::bucket_correction(c.bucket, detail::whole_up(waves - 1e-5F));
  const T beyond = one - detail::least(one, kBucketWaves.back() / detail::most(waves, one));
  return time * (one + iterations / (iterations + 16.0F) * correction + kBeyondCost * beyond);
}

}  // namespace warploom
