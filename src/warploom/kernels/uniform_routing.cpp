#include "warploom/kernels/uniform_routing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace warploom {
namespace {

// The binomial distribution is summed this many standard deviations around its mode, and as many counts more,
// which is what a skewed one of small mean needs. What lies beyond is below 1e-15.
constexpr double kDeviations = 9, kMoreCounts = 24;
// With a deviation of at least the rows of a tile, how full an expert's last tile is is even to 3e-9: then
// expectations need no sum.
constexpr double kSummedDeviation = double(kRowBlocks.back());

// How many pairs an expert has: its chances from `first` on, which sum to one.
struct PairCounts {
  std::int64_t first = 0;
  std::vector<double> chances;
};

// Relative to the mode's chance and then normalised, so that no factorial is needed.
PairCounts binomial_counts(std::int64_t trials, double chance) {
  if (chance >= 1) return {trials, {1.0}};
  const double mean = double(trials) * chance, deviation = std::sqrt(mean * (1 - chance));
  const std::int64_t mode = std::min(trials, std::int64_t(double(trials + 1) * chance));
  const auto reach = std::int64_t(kDeviations * deviation + kMoreCounts);
  PairCounts counts{.first = std::max<std::int64_t>(0, mode - reach), .chances = {}};
  const std::int64_t last = std::min(trials, mode + reach);
  counts.chances.assign(std::size_t(last - counts.first + 1), 1.0);
  const double odds = chance / (1 - chance);
  const auto at = [&](std::int64_t count) -> double& {
    return counts.chances[std::size_t(count - counts.first)];
  };
  for (std::int64_t x = mode; x < last; ++x) at(x + 1) = at(x) * odds * double(trials - x) / double(x + 1);
  for (std::int64_t x = mode; x > counts.first; --x)
    at(x - 1) = at(x) * double(x) / (odds * double(trials - x + 1));
  double sum = 0;
  for (const double share : counts.chances) sum += share;
  for (double& share : counts.chances) share /= sum;
  return counts;
}

// Expected ceil(pairs / rows) of one expert.
double summed_tiles(const PairCounts& counts, std::int64_t rows) {
  double tiles = 0;
  for (std::size_t i = 0; i < counts.chances.size(); ++i)
    tiles += counts.chances[i] * double((counts.first + std::int64_t(i) + rows - 1) / rows);
  return tiles;
}

// Expected largest of `experts` such counts, as if they were independent.
double summed_busiest(const PairCounts& counts, double experts) {
  double busiest = double(counts.first), below = 0;
  for (std::size_t i = 0; i + 1 < counts.chances.size(); ++i) {
    below = std::min(1.0, below + counts.chances[i]);
    busiest += 1 - std::pow(below, experts);
  }
  return busiest;
}

// Pairs of the rank that has the most.
double pairs_of_busiest_rank(const FusedMoe& op, double held) {
  const double experts = double(op.experts), tokens = double(op.tokens), top_k = double(op.top_k);
  const double share = held / experts, mean = tokens * top_k * share, ranks = experts / held;
  if (ranks <= 1) return mean;
  const double variance = tokens * top_k * share * (1 - share) * (experts - top_k) / (experts - 1);
  // All ranks together have tokens * top_k pairs, so they are not independent, and lie farther apart.
  const double apart = largest_of_normals(ranks) * std::sqrt(ranks / (ranks - 1));
  return std::min(mean + std::sqrt(variance) * apart, tokens * std::min(top_k, held));
}

}  // namespace

double largest_of_normals(double count) {
  constexpr double kFarthest = 12, kStep = 1.0 / 64;
  double sum = 0;
  for (double z = kStep / 2; z < kFarthest; z += kStep) {
    const double above = std::erfc(z / std::sqrt(2.0)) / 2;
    // 1 - (1 - above)^count on the right of zero, above^count on the left.
    sum += kStep * (-std::expm1(count * std::log1p(-above)) - std::pow(above, count));
  }
  return sum;
}

std::vector<std::int64_t> uniform_rows(std::int64_t held, std::int64_t tokens, std::int64_t pairs) {
  const double chance = std::min(1.0, double(pairs) / (double(held) * double(tokens)));
  const PairCounts counts = binomial_counts(tokens, chance);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(held));
  std::size_t at = 0;
  double below = counts.chances[0];
  std::int64_t left = pairs;
  for (std::int64_t i = 0; i < held; ++i) {
    const double share = (double(i) + 0.5) / double(held);
    while (below < share && at + 1 < counts.chances.size()) below += counts.chances[++at];
    std::int64_t& mine = rows[static_cast<std::size_t>(held - 1 - i)];
    mine = counts.first + std::int64_t(at);
    left -= mine;
  }
  // Rounding leaves a few: one each to those in the middle, where one more changes a tile least often.
  for (std::size_t i = rows.size() / 2; left != 0; i = (i + 1) % rows.size()) {
    if (left < 0 && rows[i] == 0) continue;
    rows[i] += left > 0 ? 1 : -1;
    left += left > 0 ? -1 : 1;
  }
  std::sort(rows.begin(), rows.end(), std::greater<>());
  return rows;
}

RoutingLoad uniform_load(const FusedMoe& op) {
  RoutingLoad load;
  load.experts_held = std::max(1.0, std::floor(double(op.experts) / double(op.expert_parallel)));
  load.pairs = pairs_of_busiest_rank(op, load.experts_held);
  const double tokens = double(op.tokens), mean = load.pairs / load.experts_held;
  const double chance = std::min(1.0, mean / tokens), deviation = std::sqrt(mean * (1 - chance));
  load.experts_hit = load.experts_held * (chance >= 1 ? 1.0 : -std::expm1(tokens * std::log1p(-chance)));
  const bool summed = deviation < kSummedDeviation;
  const PairCounts counts = summed ? binomial_counts(op.tokens, chance) : PairCounts{};
  const auto tiles = [&](std::int64_t rows) {
    if (deviation < double(rows)) return load.experts_held * summed_tiles(counts, rows);
    return load.experts_held * (mean + double(rows - 1) / 2) / double(rows);
  };
  for (std::size_t i = 0; i < kRowBlocks.size(); ++i) load.row_tiles[i] = tiles(kRowBlocks[i]);
  load.row_tiles_48 = tiles(48);
  load.busiest_pairs = summed ? summed_busiest(counts, load.experts_held)
                              : std::min(tokens, mean + deviation * largest_of_normals(load.experts_held));
  return load;
}

}  // namespace warploom
