// Which prefixes of prompts have a state of the recurrent layers kept, and where that may be.
//
// A prompt goes on from a cached prefix only where a state was kept at its end. vLLM 0.33 keeps states in
// blocks of the KV cache, at ends of its blocks: the last such place of a prompt, and where a prompt was seen
// to leave others (shared_prefix_boundary of v1/core/kv_cache_manager.py; prefix_cache_retention_interval is
// 0). SGLang keeps them in what running requests leave of a pool, each 64 tokens at most: where a part of a
// prompt ends, and where it leaves others (mamba_branching_seqlen of managers/schedule_batch.py). The least
// recently used goes first. Pinned states are not told from others: a prompt under way keeps its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "warploom/serving/kv/flat_lru.h"
#include "warploom/serving/kv/kv_cache.h"

namespace warploom {

class PrefixStates {
 public:
  // For a model without such layers, or an engine that keeps none: every prefix may be gone on from.
  PrefixStates() = default;
  // In blocks of the cache, at one of each `grain` tokens.
  static PrefixStates in_blocks(std::int64_t grain) { return PrefixStates(grain); }
  // In a pool of `slots`, of which each running request holds `held`.
  static PrefixStates in_pool(std::int64_t grain, std::int64_t slots, std::int64_t held) {
    PrefixStates states(grain);
    states.held_ = held;
    states.pool_.emplace(slots);
    return states;
  }

  bool on() const { return grain_ > 0; }
  // Tokens between two places where a state may stand.
  std::int64_t grain() const { return grain_; }
  // Where the state of a prompt is kept of which so many tokens are computed; 0: nowhere yet.
  std::int64_t last_place(std::int64_t computed, std::int64_t prompt) const {
    if (pool_) return std::min(computed, prompt) / grain_ * grain_;
    const std::int64_t last = (prompt - 1) / grain_ * grain_;
    return computed >= last ? last : 0;
  }
  // The same behind the prompt, when the request ends; 0: nowhere.
  std::int64_t last_of_outputs(std::int64_t computed, std::int64_t prompt) const {
    constexpr std::int64_t kTrackInterval = 256;  // SGLang's mamba_track_interval
    const std::int64_t last = computed / kTrackInterval * kTrackInterval;
    return pool_ && last > prompt && last % grain_ == 0 ? last : 0;  // pages beyond 256 tokens track nothing
  }
  // Whether the prefix with that hash has one; it counts as used.
  bool find(KvCache& cache, std::uint64_t hash);
  // Keeps one more while `running` requests run; nothing where there is no room.
  void keep(KvCache& cache, std::uint64_t hash, std::int64_t running);

 private:
  struct Nothing {};
  explicit PrefixStates(std::int64_t grain) : grain_(grain) {}
  void keep_in_pool(std::uint64_t hash, std::int64_t running);

  std::int64_t grain_ = 0, held_ = 0;
  std::optional<FlatLru<Nothing>> pool_;
};

}  // namespace warploom
