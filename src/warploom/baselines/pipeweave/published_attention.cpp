#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/baselines/pipeweave/published_features.h"
#include "warploom/baselines/pipeweave/published_load.h"
#include "warploom/baselines/pipeweave/published_pipes.h"
#include "warploom/kernels/tile_schedule.h"

namespace warploom::published {
namespace {

// Rows of packed queries and keys of a FlashAttention-2 block.
struct Tile {
  std::int64_t rows = 16, keys = 64;
};

Tile fa2_tile(std::int64_t mean_rows, std::int64_t head_dim, double shared_kib) {
  Tile tile;
  tile.rows = mean_rows > 64 && head_dim < 256 ? 128 : mean_rows > 16 ? 64 : 16;
  const std::int64_t row_warps = tile.rows > 16 ? 4 : 1, key_warps = 4 / row_warps;
  const std::int64_t row_steps = tile.rows > 64 ? 2 : 1;
  const auto shared = std::int64_t(shared_kib * 1024);
  const std::int64_t query_bytes = tile.rows * head_dim * kAttentionBytes;
  const std::int64_t key_bytes = 2 * head_dim * 16 * key_warps * kAttentionBytes;
  const std::int64_t blocks = shared >= 2 * (query_bytes + key_bytes) ? 2 : 1;
  std::int64_t key_steps = std::min((shared / blocks - query_bytes) / key_bytes, 8 / row_steps);
  const auto invalid = [&](std::int64_t steps) {
    return head_dim / 16 < 4 || (head_dim / 16 == 4 && steps % 2 == 1) ||
           row_steps * (head_dim / 2 + 8 * steps) >= 256;
  };
  while (key_steps > 0 && invalid(key_steps)) --key_steps;
  if (key_steps < 1) {
    throw Unsupported(
        fmt::format("published features: FlashAttention-2 has no tile for head_dim {}", head_dim));
  }
  tile.keys = 16 * key_steps * key_warps;
  return tile;
}

// The least chunk of keys whose blocks fill the GPU at most twice.
std::int64_t fa2_chunk(std::span<const Request> requests, std::int64_t group, const Tile& tile, bool paged,
                       std::int64_t blocks) {
  std::int64_t low = paged ? 8 : 128, high = low;
  for (const Request& request : requests) high = std::max(high, request.kv_tokens);
  const auto fits = [&](std::int64_t chunk) {
    std::int64_t count = 0;
    for (const Request& request : requests) {
      count += divide_up(request.query_tokens * group, tile.rows) * divide_up(request.kv_tokens, chunk);
    }
    return count <= blocks;
  };
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (fits(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

Features attention_fa2(std::span<const Request> requests, std::int64_t heads, std::int64_t kv_heads,
                       std::int64_t head_dim, bool paged, const Hardware& gpu) {
  check_attention(requests, heads, head_dim);
  check_positive(kv_heads, "kv_heads");
  const std::int64_t group = std::max<std::int64_t>(1, heads / kv_heads);
  std::int64_t packed = 0;
  for (const Request& request : requests) packed += request.query_tokens * group;
  const Tile tile = fa2_tile(packed / std::int64_t(requests.size()), head_dim, gpu.shared_kib);
  const std::int64_t chunk = fa2_chunk(requests, group, tile, paged, 2 * std::int64_t(gpu.sms) / kv_heads);

  Load total;
  std::vector<double> costs;
  const auto load_of = [&](double steps) {
    const double products = std::floor(4.0 * double(tile.rows * tile.keys * head_dim) * steps / 32);
    return Load{
        .tensor = products * 33,
        .special = 128 * (36 * steps + 128) + double(tile.rows),
        .bytes = double(head_dim * kAttentionBytes) * (double(tile.rows) + steps * double(tile.keys))};
  };
  for (const Request& request : requests) {
    const std::int64_t tiles = divide_up(request.query_tokens * group, tile.rows);
    const std::int64_t context = request.kv_tokens - request.query_tokens;
    for (std::int64_t t = 0; t < tiles; ++t) {
      for (std::int64_t start = 0; start < request.kv_tokens; start += chunk) {
        const std::int64_t length = std::min(chunk, request.kv_tokens - start);
        const std::int64_t seen = context + divide_up((t + 1) * tile.rows, group) - start;
        const std::int64_t steps = divide_up(std::clamp<std::int64_t>(seen, 0, length), tile.keys);
        if (steps == 0) continue;  // wholly masked
        for (std::int64_t head = 0; head < kv_heads; ++head) {
          total += load_of(double(steps));
          costs.push_back(double(steps));
        }
      }
    }
  }
  const double longest = simulate_shared_sms(costs, std::int64_t(gpu.sms), std::vector<double>{1.0, 2.0});
  return features_of(total, load_of(2 * longest), gpu);
}

namespace {

Tile fa3_tile(std::int64_t head_dim, bool paged) {
  if (head_dim <= 64) return {192, paged ? 96 : 128};
  if (head_dim <= 128) return {128, paged ? 96 : 128};
  return {128, paged ? 32 : 64};
}

}  // namespace

Features attention_fa3(std::span<const Request> requests, std::int64_t heads, std::int64_t head_dim,
                       bool paged, const Hardware& gpu) {
  check_attention(requests, heads, head_dim);
  constexpr std::int64_t kMostTiles = 8192;
  const Tile tile = fa3_tile(head_dim, paged);
  std::vector<Request> order(requests.begin(), requests.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const Request& a, const Request& b) { return a.kv_tokens > b.kv_tokens; });
  std::int64_t queries = 0;
  for (const Request& request : order) queries += request.query_tokens;
  const std::int64_t bound = divide_up(queries, tile.rows) + std::int64_t(order.size()) - 1;
  const std::int64_t scheduled = bound > kMostTiles ? 1 : heads;

  using Slot = std::pair<std::int64_t, std::size_t>;  // cost so far, SM
  std::priority_queue<Slot, std::vector<Slot>, std::greater<>> slots;
  std::vector<Load> sms(std::size_t(gpu.sms));
  for (std::size_t sm = 0; sm < sms.size(); ++sm) slots.emplace(0, sm);
  Load total;
  for (std::int64_t head = 0; head < scheduled; ++head) {
    for (const Request& request : order) {
      for (std::int64_t t = divide_up(request.query_tokens, tile.rows) - 1; t >= 0; --t) {
        const std::int64_t seen = (t + 1) * tile.rows + request.kv_tokens - request.query_tokens;
        const double steps =
            double(std::min(divide_up(request.kv_tokens, tile.keys), divide_up(seen, tile.keys)));
        const Load load = tile_load(double(tile.rows), double(tile.keys), double(head_dim), steps);
        const auto [cost, sm] = slots.top();
        slots.pop();
        slots.emplace(cost + tile.rows * std::clamp<std::int64_t>(seen, 0, request.kv_tokens), sm);
        sms[sm] += load;
        total += load;
      }
    }
  }
  return features_of(total, busiest_of(sms), gpu);
}

}  // namespace warploom::published
