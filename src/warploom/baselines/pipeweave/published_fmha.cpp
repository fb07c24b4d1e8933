// Attention of the libraries of other matrix units: CUTLASS on data-centre Blackwell, CK on AMD.
#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "warploom/baselines/pipeweave/published_features.h"
#include "warploom/baselines/pipeweave/published_load.h"

namespace warploom::published {
namespace {

struct FmhaTile {
  std::int64_t rows = 128, keys = 64;
};

FmhaTile cutlass_tile(std::int64_t head_dim, bool causal) {
  if (head_dim <= 64) return {128, 128};
  if (head_dim <= 128) return {128, causal ? 64 : 96};
  if (head_dim <= 192) return {128, 64};
  return {128, 32};
}

FmhaTile ck_tile(std::int64_t head_dim) {
  if (head_dim <= 64) return {128, 64};
  if (head_dim <= 128) return {128, 128};
  if (head_dim <= 192) return {128, 64};
  return {128, 32};
}

// Tiles of keys that query tile `t` looks at, under the diagonal of its last row.
double causal_steps(const Request& request, std::int64_t t, const FmhaTile& tile, bool causal) {
  const std::int64_t seen = (t + 1) * tile.rows + request.kv_tokens - request.query_tokens;
  const std::int64_t keys = causal ? std::min(request.kv_tokens, seen) : request.kv_tokens;
  return double(divide_up(keys, tile.keys));
}

}  // namespace

Features attention_cutlass(std::span<const Request> requests, std::int64_t heads, std::int64_t head_dim,
                           bool causal, const Hardware& gpu) {
  check_attention(requests, heads, head_dim);
  const FmhaTile tile = cutlass_tile(head_dim, causal);
  using Bucket = std::pair<std::int64_t, std::size_t>;  // cost so far, SM
  std::priority_queue<Bucket, std::vector<Bucket>, std::greater<>> buckets;
  std::vector<Load> sms(std::size_t(gpu.sms));
  for (std::size_t sm = 0; sm < sms.size(); ++sm) buckets.emplace(0, sm);
  Load total;
  for (std::int64_t head = 0; head < heads; ++head) {
    for (const Request& request : requests) {
      const std::int64_t tiles = divide_up(request.query_tokens, tile.rows);
      for (std::int64_t t = tiles - 1; t >= 0; --t) {
        const Load load = tile_load(double(tile.rows), double(tile.keys), double(head_dim),
                                    causal_steps(request, t, tile, causal));
        const auto [cost, sm] = buckets.top();
        buckets.pop();
        const std::int64_t keys = std::max<std::int64_t>(0, request.kv_tokens - (tiles - 1 - t) * tile.rows);
        buckets.emplace(cost + tile.rows * keys, sm);
        sms[sm] += load;
        total += load;
      }
    }
  }
  return features_of(total, busiest_of(sms), gpu);
}

Features attention_ck(std::span<const Request> requests, std::int64_t heads, std::int64_t head_dim,
                      bool causal, const Hardware& gpu) {
  check_attention(requests, heads, head_dim);
  const FmhaTile tile = ck_tile(head_dim);
  const double rows = double(tile.rows), keys = double(tile.keys), width = double(head_dim);
  std::vector<Load> sms(std::size_t(gpu.sms));
  Load total;
  std::size_t next = 0;
  for (std::int64_t head = 0; head < heads; ++head) {
    for (const Request& request : requests) {
      for (std::int64_t t = 0; t < divide_up(request.query_tokens, tile.rows); ++t) {
        const double steps = causal_steps(request, t, tile, causal);
        const Load load{.tensor = 4 * rows * keys * width * steps,
                        .special = steps * (rows * keys + 2 * rows) + rows * width,
                        .bytes = double(kAttentionBytes) * width * (rows + steps * keys)};
        sms[next] += load;
        total += load;
        next = (next + 1) % sms.size();
      }
    }
  }
  return features_of(total, busiest_of(sms), gpu);
}

}  // namespace warploom::published
