// What lies below the GPU's prefix cache: host memory, then disk. Every unit is written through to both as
// soon as it is computed, so they hold what the GPU still holds too, each the units used last: as vLLM's
// offloading connector stores each full block of a step (distributed/kv_transfer/kv_connector/v1/
// offloading_connector.py) and SGLang's HiCache backs up what enters the tree (mem_cache/hiradix_cache.py,
// write_through). A unit read from disk passes through host memory and stays there. Writing out runs beside
// the GPU and is only counted; reading back makes the request wait.
#pragma once

#include <cstdint>
#include <optional>

#include "warploom/base/units.h"
#include "warploom/serving/config/kv_fetch_rule.h"
#include "warploom/serving/kv/flat_lru.h"

namespace warploom {

enum class KvTier { None, Cpu, Disk };

// Sizes and speeds of one replica. `cpu_tokens` 0: no host tier; `disk_tokens` 0: no disk.
struct KvTierConfig {
  std::int64_t cpu_tokens = 0;
  std::int64_t disk_tokens = 0;
  Seconds cpu_per_token;   // reading one token's keys and values back to the GPU
  Seconds disk_per_token;  // the same from disk, host memory passed through
  Seconds cpu_latency, disk_latency;
  KvFetchRule fetch = KvFetchRule::Faster;
  bool exists() const { return cpu_tokens > 0 || disk_tokens > 0; }
};

// Hashes in the order of their last use, at most `capacity` of them.
class LruHashes {
 public:
  explicit LruHashes(std::int64_t capacity) : order_(capacity) {}
  bool holds(std::uint64_t hash) const { return order_.holds(hash); }
  // Whether it is there; it is then the last used.
  bool touch(std::uint64_t hash);
  // The hash is there, as the last used; the oldest goes when there is no room. Returns whether it is new.
  bool add(std::uint64_t hash);
  std::int64_t size() const { return order_.size(); }

 private:
  struct Nothing {};
  FlatLru<Nothing> order_;
};

class KvTiers {
 public:
  // unit_tokens >= 1.
  KvTiers(const KvTierConfig& config, std::int64_t unit_tokens);

  // A unit was computed, or came back to the GPU. Expected O(1).
  void store(std::uint64_t hash);
  // A unit that the GPU holds is used once more.
  void touch(std::uint64_t hash);
  bool in_host_memory(std::uint64_t hash) const { return cpu_.holds(hash); }
  std::int64_t host_units() const { return cpu_.size(); }
  // Where a unit lies; it counts as used.
  KvTier find(std::uint64_t hash);

  // Time to read so many tokens, the first byte's latency included.
  Seconds fetch_time(std::int64_t cpu_tokens, std::int64_t disk_tokens) const;
  // By the rule; of Faster, whether fetching beats computing again at the prompt speed seen so far (always,
  // before any was seen).
  bool fetches(std::int64_t cpu_tokens, std::int64_t disk_tokens) const;
  // What computing so many tokens takes by the prompt steps seen so far; absent before the first.
  std::optional<Seconds> computing_time(std::int64_t tokens) const;
  // The GPU time of a step that computed nothing but prompts.
  void see_prompt_step(Seconds gpu, std::int64_t tokens);

  // Written out, each time anew that none of the tiers had it.
  std::int64_t stored_units() const { return stored_; }

 private:
  KvTierConfig config_;
  LruHashes cpu_, disk_;
  std::int64_t stored_ = 0;
  Seconds prompt_time_;
  std::int64_t prompt_tokens_ = 0;
};

}  // namespace warploom
