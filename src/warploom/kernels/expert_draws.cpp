#include "warploom/kernels/expert_draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "warploom/base/divide_up.h"

namespace warploom {
namespace {

double power_law_quantile(double u, double low, double high, double alpha) {
  if (std::abs(alpha - 1.0) < 1e-9) return low * std::pow(high / low, u);
  const double p = 1.0 - alpha;
  const double a = std::pow(low, p), b = std::pow(high, p);
  return std::pow(a + (b - a) * u, 1.0 / p);
}

}  // namespace

void add_expert(RoutingLoad& load, std::int64_t pairs) {
  load.pairs += double(pairs);
  if (pairs == 0) return;
  load.experts_hit += 1;
  for (std::size_t i = 0; i < kRowBlocks.size(); ++i)
    load.row_tiles[i] += double(divide_up(pairs, kRowBlocks[i]));
  load.row_tiles_48 += double(divide_up(pairs, 48));
}

void accumulate(RoutingLoad& mean, const RoutingLoad& load, double weight) {
  mean.experts_held = load.experts_held;
  mean.experts_hit += weight * load.experts_hit;
  mean.pairs += weight * load.pairs;
  mean.busiest_pairs += weight * load.busiest_pairs;
  mean.row_tiles_48 += weight * load.row_tiles_48;
  for (std::size_t i = 0; i < kRowBlocks.size(); ++i) mean.row_tiles[i] += weight * load.row_tiles[i];
}

void draw_power_law(const FusedMoe& op, RandomStream& rng, std::vector<double>& loads) {
  const double tokens = double(op.tokens), pairs = tokens * double(op.top_k), experts = double(op.experts);
  const bool crowded = pairs > experts;
  const double low = crowded ? 1.0 : 0.01;
  const double high = crowded ? std::max(0.8 * tokens, 1.0 + 1e-9) : 2.0;
  for (std::size_t i = 0; i < loads.size(); ++i)
    loads[i] = power_law_quantile((double(i) + rng.uniform()) / experts, low, high, op.routing_alpha);
}

std::int64_t draw_binomial(std::int64_t trials, double chance, RandomStream& rng) {
  constexpr double kFew = 12;
  if (chance >= 1) return trials;
  const double mean = double(trials) * chance;
  if (mean >= kFew && double(trials) - mean >= kFew) {
    const double drawn = std::round(rng.normal(mean, std::sqrt(mean * (1 - chance))));
    return std::int64_t(std::clamp(drawn, 0.0, double(trials)));
  }
  if (mean >= kFew) return trials - draw_binomial(trials, 1 - chance, rng);
  double left = rng.uniform(), share = std::exp(double(trials) * std::log1p(-chance));
  std::int64_t count = 0;
  while (left > share && count < trials) {
    left -= share;
    share *= chance / (1 - chance) * double(trials - count) / double(count + 1);
    ++count;
  }
  return count;
}

// Whole rounds are taken at once.
void repair(std::vector<std::int64_t>& counts, std::int64_t total, std::int64_t most) {
  std::int64_t gap = total - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const std::int64_t sign = gap > 0 ? 1 : -1;
  gap *= sign;
  const auto room = [&](std::int64_t count) { return sign > 0 ? most - count : count; };
  while (gap > 0) {
    std::int64_t open = 0, least_room = most;
    for (const std::int64_t count : counts) {
      if (room(count) <= 0) continue;
      ++open;
      least_room = std::min(least_room, room(count));
    }
    if (open == 0) return;
    const std::int64_t rounds = std::max<std::int64_t>(1, std::min(gap / open, least_room));
    for (std::int64_t& count : counts) {
      if (gap == 0) break;
      if (room(count) <= 0) continue;
      const std::int64_t moved = std::min(rounds, gap);
      count += sign * moved;
      gap -= moved;
    }
  }
}

}  // namespace warploom
