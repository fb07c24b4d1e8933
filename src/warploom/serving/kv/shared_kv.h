// Caches of a fleet beside those of each instance: one store that all of them share (Mooncake store, an
// LMCache server), and what other instances keep.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"
#include "warploom/serving/config/kv_fetch_rule.h"

namespace warploom {

// What may be read of other instances. Host: their host memory, as LMCache's P2P backend does
// (v1/storage_backend/p2p_backend.py). Any: their GPUs' caches too, as NIXL can.
enum class KvPeers { None, Host, Any };
template <>
struct EnumNames<KvPeers> {
  static constexpr std::array<std::pair<KvPeers, std::string_view>, 3> kNames{
      {{KvPeers::None, "none"}, {KvPeers::Host, "host"}, {KvPeers::Any, "any"}}};
};

// As asked.
struct SharedKv {
  std::optional<double> store_size;               // GiB of the whole store
  std::optional<BytesPerSecond> store_bandwidth;  // of the whole store, each way; absent: no limit
  std::optional<Seconds> store_latency;
  KvPeers peers = KvPeers::None;
  std::optional<Seconds> peer_latency;
  std::optional<BytesPerSecond> network_bandwidth;  // of one instance, each way; absent: its GPUs' adapters
  // Fewer tokens are computed again. Absent: as the engine does (min_retrieve_tokens of LMCache 0, the
  // prefetch threshold of SGLang's HiCache 256).
  std::optional<std::int64_t> least_tokens;
  // Connectors take whatever the store has: vLLM 0.33.0, distributed/kv_transfer/kv_connector/v1,
  // mooncake/store/scheduler.py and lmcache_integration/vllm_v1_adapter.py (get_num_new_matched_tokens).
  KvFetchRule fetch = KvFetchRule::Always;
  bool any() const { return store_size.has_value() || peers != KvPeers::None; }
  static FieldTable describe();
};

// To learn what a store or a peer has: as it is taken, and at the ends of what is known of it.
struct LookupTime {
  Seconds least{0.0}, usual{0.0}, most{0.0};
};

// The same for one fleet. `store_tokens` 0: no store.
struct SharedKvPlan {
  std::int64_t store_tokens = 0;
  Bytes per_token;                       // of the whole model
  BytesPerSecond store_bandwidth{0.0};   // each way; 0: no limit
  Seconds store_latency, peer_latency;   // from asking to the first byte
  LookupTime store_lookup, peer_lookup;  // what these are at the ends of a run's interval
  KvPeers peers = KvPeers::None;
  std::int64_t least_tokens = 0;
  KvFetchRule fetch = KvFetchRule::Always;
  bool exists() const { return store_tokens > 0 || peers != KvPeers::None; }
};

}  // namespace warploom
