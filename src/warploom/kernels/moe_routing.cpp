#include "warploom/kernels/moe_routing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "warploom/base/divide_up.h"
#include "warploom/base/hash.h"
#include "warploom/base/random.h"
#include "warploom/kernels/expert_draws.h"
#include "warploom/kernels/placed_routing.h"
#include "warploom/kernels/uniform_routing.h"

namespace warploom {
namespace {

constexpr int kDraws = 4;   // of the loads
constexpr int kOrders = 4;  // of the experts over the ranks, per draw
constexpr std::size_t kLargestCache = 1 << 16;

RoutingLoad load_of_range(const std::vector<std::int64_t>& counts, std::size_t begin, std::size_t end) {
  RoutingLoad load;
  load.experts_held = double(end - begin);
  std::int64_t busiest = 0;
  for (std::size_t i = begin; i < end; ++i) {
    add_expert(load, counts[i]);
    busiest = std::max(busiest, counts[i]);
  }
  load.busiest_pairs = double(busiest);
  return load;
}

// Loads in rising order, as pairs.
void draw_counts(const FusedMoe& op, RandomStream& rng, std::vector<double>& loads,
                 std::vector<std::int64_t>& counts) {
  const double pairs = double(op.tokens) * double(op.top_k);
  draw_power_law(op, rng, loads);
  double sum = 0;
  for (const double load : loads) sum += load;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    counts[i] = std::min(op.tokens, std::int64_t(std::llround(pairs * loads[i] / sum)));
  }
  repair(counts, op.tokens * op.top_k, op.tokens);
}

constexpr std::size_t kMostRuns = 64;

// `experts` more experts with `pairs` each.
void add_experts(RoutingLoad& load, std::int64_t pairs, std::int64_t experts) {
  if (experts <= 0) return;
  RoutingLoad one;
  add_expert(one, pairs);
  const double busiest = std::max(load.busiest_pairs, double(pairs));
  accumulate(load, one, double(experts));
  load.busiest_pairs = busiest;
}

// Tokens beyond whole rounds start one expert after the other: each of their slots covers one run of experts,
// so only the ends of runs matter. O(k^2), no allocation.
void add_runs(RoutingLoad& load, const FusedMoe& op, std::int64_t whole, std::int64_t rest,
              std::int64_t stride, std::int64_t held) {
  struct End {
    std::int64_t expert = 0, change = 0;
  };
  std::array<End, 4 * kMostRuns> ends;
  std::size_t count = 0;
  const auto add = [&](std::int64_t expert, std::int64_t change) {
    std::size_t to = count++;
    for (; to > 0 && ends[to - 1].expert > expert; --to) ends[to] = ends[to - 1];
    ends[to] = {expert, change};
  };
  std::int64_t start = 0;
  for (std::int64_t j = 0; j < op.top_k; ++j) {
    const std::int64_t end = start + rest;
    add(start, 1);
    add(std::min(end, op.experts), -1);
    if (end > op.experts) {
      add(0, 1);
      add(end - op.experts, -1);
    }
    start += stride;
    if (start >= op.experts) start -= op.experts;
  }
  std::int64_t from = 0, more = 0;
  for (std::size_t i = 0; i < count && from < held; ++i) {
    const std::int64_t to = std::min(ends[i].expert, held);
    add_experts(load, whole + more, to - from);
    from = std::max(from, to);
    more += ends[i].change;
  }
  add_experts(load, whole + more, held - from);
}

// Fewer tokens than a stride, or very many slots: pair by pair.
void add_pairs(RoutingLoad& load, const FusedMoe& op, std::int64_t whole, std::int64_t rest,
               std::int64_t stride, std::int64_t held) {
  std::vector<std::int64_t> counts(std::size_t(op.experts), whole);
  for (std::int64_t t = 0; t < rest; ++t) {
    std::int64_t expert = op.tokens < stride ? t * stride / op.tokens : t;
    for (std::int64_t j = 0; j < op.top_k; ++j) {
      if (expert >= op.experts) expert -= op.experts;
      ++counts[std::size_t(expert)];
      expert += stride;
    }
  }
  counts.resize(std::size_t(held));
  std::sort(counts.begin(), counts.end());
  for (std::size_t i = 0; i < counts.size();) {
    const auto next = std::upper_bound(counts.begin() + std::ptrdiff_t(i), counts.end(), counts[i]);
    const auto end = std::size_t(next - counts.begin());
    add_experts(load, counts[i], std::int64_t(end - i));
    i = end;
  }
}

RoutingLoad balanced_load(const FusedMoe& op) {
  const std::int64_t held = std::max<std::int64_t>(1, op.experts / op.expert_parallel);
  const std::int64_t stride = divide_up(op.experts, op.top_k);
  // Whole rounds of E tokens give every expert k pairs.
  const std::int64_t rounds = op.tokens >= stride ? op.tokens / op.experts : 0;
  const std::int64_t whole = rounds * op.top_k, rest = op.tokens - rounds * op.experts;
  RoutingLoad load;
  if (op.tokens >= stride && op.experts % op.top_k == 0) {
    // Runs start evenly: every expert lies in rest / stride of them, and the first rest % stride experts of
    // each stride in one more.
    const std::int64_t begun = rest % stride;
    const std::int64_t more = held / stride * begun + std::min(held % stride, begun);
    add_experts(load, whole + rest / stride, held - more);
    add_experts(load, whole + rest / stride + 1, more);
  } else if (op.tokens < stride || op.top_k > std::int64_t(kMostRuns)) {
    add_pairs(load, op, whole, rest, stride, held);
  } else {
    add_runs(load, op, whole, rest, stride, held);
  }
  load.experts_held = double(held);
  return load;
}

RoutingLoad busiest_rank(const std::vector<std::int64_t>& counts, std::size_t block) {
  std::size_t busiest_begin = 0;
  std::int64_t busiest = -1;
  for (std::size_t begin = 0; begin + block <= counts.size(); begin += block) {
    const auto first = counts.begin() + std::ptrdiff_t(begin);
    const std::int64_t pairs = std::accumulate(first, first + std::ptrdiff_t(block), std::int64_t{0});
    if (pairs > busiest) busiest = pairs, busiest_begin = begin;
  }
  return load_of_range(counts, busiest_begin, busiest_begin + block);
}

RoutingLoad power_law_load(const FusedMoe& op) {
  const std::size_t experts = std::size_t(op.experts);
  const std::size_t block = std::max<std::size_t>(1, experts / std::size_t(op.expert_parallel));
  const int orders = op.expert_parallel > 1 ? kOrders : 1;
  RandomStream rng(0x10AD, "moe_routing");
  std::vector<double> loads(experts);
  std::vector<std::int64_t> counts(experts);
  RoutingLoad mean;
  for (int draw = 0; draw < kDraws; ++draw) {
    draw_counts(op, rng, loads, counts);
    for (int order = 0; order < orders; ++order) {
      if (orders > 1) shuffle_items(counts, rng);
      accumulate(mean, busiest_rank(counts, block), 1.0 / (kDraws * orders));
    }
  }
  return mean;
}

}  // namespace

double random_experts_hit(const FusedMoe& op) {
  const double experts = double(op.experts);
  const double held = std::max(1.0, std::floor(experts / double(op.expert_parallel)));
  // Beyond, a double cannot tell the share from 1.
  const double chosen = double(op.tokens) * double(op.top_k) / experts;
  if (chosen > 38) return held;
  return held * -std::expm1(double(op.tokens) * std::log1p(-double(op.top_k) / experts));
}

bool routes_evenly(const FusedMoe& op) {
  if (is_placed(op)) return false;
  return op.routing == RoutingKind::Balanced ||
         (op.routing == RoutingKind::PowerLaw && op.routing_alpha <= 0);
}

RoutingLoad routing_load(const FusedMoe& op) {
  RoutingLoad load;
  if (is_placed(op)) {
    load = placed_load(op);
  } else if (routes_evenly(op)) {
    load = balanced_load(op);
  } else if (op.routing == RoutingKind::Uniform) {
    load = uniform_load(op);
  } else {
    load = power_law_load(op);
  }
  load.random_hit = random_experts_hit(op);
  return load;
}

struct RoutingCache::Table {
  std::shared_mutex mutex;
  std::unordered_map<std::uint64_t, RoutingLoad> loads;
};

RoutingCache::RoutingCache() : table_(std::make_unique<Table>()) {}
RoutingCache::~RoutingCache() = default;
RoutingCache::RoutingCache(RoutingCache&&) noexcept = default;
RoutingCache& RoutingCache::operator=(RoutingCache&&) noexcept = default;

RoutingLoad RoutingCache::find(const FusedMoe& op) const {
  // Cheaper to work out than to look up.
  if (routes_evenly(op)) return routing_load(op);
  std::uint64_t key = hash_combine(std::uint64_t(op.tokens), std::uint64_t(op.experts));
  key = hash_combine(key, std::uint64_t(op.top_k));
  key = hash_combine(key, std::uint64_t(op.expert_parallel));
  key = hash_combine(key, op.routing == RoutingKind::Uniform ? 0 : 1 + std::uint64_t(op.routing_alpha * 1e6));
  if (is_placed(op)) {
    key = hash_combine(key, std::uint64_t(op.redundant_experts));
    key = hash_combine(key, std::uint64_t(op.placement_groups));
    key = hash_combine(key, std::uint64_t(op.placement_nodes));
    key = hash_combine(key, std::uint64_t(op.routing));
  }
  {
    const std::shared_lock lock(table_->mutex);
    if (const auto found = table_->loads.find(key); found != table_->loads.end()) return found->second;
  }
  const RoutingLoad load = routing_load(op);
  const std::unique_lock lock(table_->mutex);
  if (table_->loads.size() >= kLargestCache) table_->loads.clear();
  table_->loads.emplace(key, load);
  return load;
}

}  // namespace warploom
