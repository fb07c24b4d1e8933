// Seeded random streams that give the same numbers on every platform and compiler.
//
// A stream is named: (seed, name) fixes its sequence, so one more draw in one part of a program leaves every
// other part's draws alone. xoshiro256++ seeded by SplitMix64; 32 bytes of state; not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warploom {

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t next();
  double uniform();                                           // [0, 1)
  double uniform(double low, double high);                    // [low, high)
  std::int64_t integer(std::int64_t low, std::int64_t high);  // [low, high], both included, unbiased
  double exponential(double mean);                            // mean > 0
  double normal(double mean, double deviation);               // deviation >= 0
  double gamma(double shape, double scale);    // shape > 0, scale > 0 (Marsaglia and Tsang 2000)
  void shuffle(std::span<std::size_t> items);  // Fisher-Yates

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace warploom
