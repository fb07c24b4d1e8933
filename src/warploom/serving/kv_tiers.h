// What lies below the GPU's prefix cache: host memory, then disk. Units evicted from the GPU go to host
// memory, those evicted there to disk; a unit found below stays there when it is copied up. Writing out runs
// beside the GPU and is only counted; reading back makes the request wait.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

#include "warploom/base/units.h"

namespace warploom {

enum class KvTier { None, Cpu, Disk };

// Sizes and speeds of one replica. `cpu_tokens` 0: no host tier; `disk_tokens` 0: no disk.
struct KvTierConfig {
  std::int64_t cpu_tokens = 0;
  std::int64_t disk_tokens = 0;
  Seconds cpu_per_token;   // reading one token's keys and values back to the GPU
  Seconds disk_per_token;  // the same from disk, host memory passed through
  Seconds cpu_latency, disk_latency;
  bool exists() const { return cpu_tokens > 0 || disk_tokens > 0; }
};

// Hashes in the order of their last use, at most `capacity` of them.
class LruHashes {
 public:
  explicit LruHashes(std::int64_t capacity) : capacity_(capacity) {}
  bool holds(std::uint64_t hash) const { return places_.contains(hash); }
  // Whether it is there; it is then the last used.
  bool touch(std::uint64_t hash);
  // Adds a hash as the last used. Returns whether another had to go, which `evicted` then names; a tier
  // without room sends the hash itself on.
  bool add(std::uint64_t hash, std::uint64_t& evicted);
  std::int64_t size() const { return std::int64_t(places_.size()); }

 private:
  std::int64_t capacity_;
  std::list<std::uint64_t> order_;  // oldest first
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

class KvTiers {
 public:
  // unit_tokens >= 1.
  KvTiers(const KvTierConfig& config, std::int64_t unit_tokens);

  // A unit leaves the GPU. Expected O(1).
  void store(std::uint64_t hash);
  // Where a unit lies; it counts as used.
  KvTier find(std::uint64_t hash);

  // Time to read so many tokens, the first byte's latency included.
  Seconds fetch_time(std::int64_t cpu_tokens, std::int64_t disk_tokens) const;
  // Whether fetching beats computing again at the prompt speed seen so far (always, before any was seen).
  bool worth_fetching(std::int64_t cpu_tokens, std::int64_t disk_tokens) const;
  // The GPU time of a step that computed nothing but prompts.
  void see_prompt_step(Seconds gpu, std::int64_t tokens);

  std::int64_t stored_units() const { return stored_; }

 private:
  KvTierConfig config_;
  LruHashes cpu_, disk_;
  std::int64_t stored_ = 0;
  Seconds prompt_time_;
  std::int64_t prompt_tokens_ = 0;
};

}  // namespace warploom
