#include "warploom/base/random.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"

namespace warploom {

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) {
  std::uint64_t mixer = hash_bytes(name, seed);
  for (std::uint64_t& word : state_) {
    mixer += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = mixer;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    word = z ^ (z >> 31);
  }
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double RandomStream::uniform(double low, double high) { return low + (high - low) * uniform(); }

std::int64_t RandomStream::integer(std::int64_t low, std::int64_t high) {
  WARPLOOM_ASSERT(low <= high);
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  if (span == 0) return static_cast<std::int64_t>(next());
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % span + 1) % span;
  std::uint64_t draw = next();
  while (draw > limit) draw = next();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw % span);
}

double RandomStream::exponential(double mean) { return -mean * std::log1p(-uniform()); }

double RandomStream::normal(double mean, double deviation) {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  return mean + deviation * radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double RandomStream::gamma(double shape, double scale) {
  if (shape < 1.0) {
    const double boost = std::pow(1.0 - uniform(), 1.0 / shape);
    return gamma(shape + 1.0, scale) * boost;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal(0.0, 1.0);
    const double v = std::pow(1.0 + c * x, 3.0);
    if (v <= 0.0) continue;
    if (std::log(1.0 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v * scale;
  }
}

void RandomStream::shuffle(std::span<std::size_t> items) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const auto j = static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(i) - 1));
    std::swap(items[i - 1], items[j]);
  }
}

}  // namespace warploom
