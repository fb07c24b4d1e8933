// What blocks of an attention kernel ask of the pipelines, and how it becomes features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warploom/base/divide_up.h"
#include "warploom/baselines/pipeweave/published_features.h"

namespace warploom::published {

inline constexpr std::int64_t kAttentionBytes = 2;  // of an element

struct Load {
  double tensor = 0, special = 0, bytes = 0;
  Load& operator+=(const Load& other);
};

Features features_of(const Load& total, const Load& busiest, const Hardware& gpu);
// The most of each over all SMs, which need not be of one SM.
Load busiest_of(std::span<const Load> sms);
// A tile of `rows` queries that walks `steps` tiles of `keys` keys, as the published counts of
// FlashAttention-3 and CUTLASS have it: one of keys and values per step.
Load tile_load(double rows, double keys, double width, double steps);

// Throws InvalidInput on an empty batch or a size below 1.
void check_attention(std::span<const Request> requests, std::int64_t heads, std::int64_t head_dim);

}  // namespace warploom::published
