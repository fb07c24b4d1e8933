// Row-wise kernels: one block per token, tokens spread evenly. Instruction counts are per warp with the
// published correction factors, though divided by rates per lane.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "warploom/baselines/pipeweave/published_features.h"
#include "warploom/baselines/pipeweave/published_pipes.h"

namespace warploom::published {
namespace {

constexpr double kWarp = 32;
constexpr double kBytes = 2;
constexpr double kMostThreads = 1024;

Features spread_rows(std::int64_t tokens, double width, double fma, double special, const Hardware& gpu) {
  const double all = double(tokens), busiest = std::ceil(all / gpu.sms);
  Features result;
  result.fma = pipe(all * fma, busiest * fma, gpu.fma_lanes, gpu);
  result.special = pipe(all * special, busiest * special, gpu.special_lanes, gpu);
  result.memory = memory(all * width * kBytes, busiest * width * kBytes, gpu);
  return result;
}

}  // namespace

Features rmsnorm(std::int64_t tokens, std::int64_t width, const Hardware& gpu) {
  check_positive(tokens, "tokens");
  check_positive(width, "width");
  const auto vector = double(std::gcd<std::int64_t>(8, width));
  const double dim = double(width), threads = std::min(kMostThreads, std::floor(dim / vector));
  const double warps = std::ceil(threads / kWarp), rounds = std::ceil(dim / (vector * threads));
  double rest_fma = 0, rest_special = 0;
  const double rest = std::fmod(dim, threads * vector);
  if (rest > 0) {
    const double active = std::min(rest, threads);
    rest_fma = std::ceil(3 * active / kWarp);
    rest_special = std::ceil(active / kWarp);
  }
  const double fma = 1.616838 * (5 * rounds * vector * warps + 6 * warps + 5 + rest_fma);
  const double special = 1.666667 * (3 * warps + rest_special);
  return spread_rows(tokens, dim, fma, special, gpu);
}

Features silu_and_mul(std::int64_t tokens, std::int64_t width, const Hardware& gpu) {
  check_positive(tokens, "tokens");
  check_positive(width / 8, "width / 8");
  constexpr double kVector = 8;
  const double dim = double(width), vectors = std::floor(dim / kVector);
  const double threads = std::min(kMostThreads, vectors);
  const double elements = kVector * std::ceil(vectors / threads);  // of one thread
  const double count = elements * std::ceil(threads / kWarp) + std::fmod(dim, kVector);
  return spread_rows(tokens, dim, 6.875 * count, 2.375 * count, gpu);
}

}  // namespace warploom::published
