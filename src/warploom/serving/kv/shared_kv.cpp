#include "warploom/serving/kv/shared_kv.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 1> kStore{"kv_store_size"}, kPeers{"kv_peers"};
constexpr std::array<std::string_view, 2> kEither{"kv_store_size", "kv_peers"};

}  // namespace

FieldTable SharedKv::describe() {
  using K = SharedKv;
  return FieldList<K>("shared_kv")
      .add("kv_store_size", &K::store_size,
           {.unit = "GiB",
            .doc = "keys and values in one store of all instances (Mooncake, LMCache)",
            .min = 0.001,
            .max = 1e9})
      .add("kv_store_bandwidth_gb_per_s", &K::store_bandwidth,
           {.unit = "GB/s",
            .doc = "of the whole store, each way; absent: only instances' networks limit",
            .min = 0.001,
            .max = 1e6,
            .scale = 1e9,
            .needs = kStore})
      .add("kv_store_latency_us", &K::store_latency,
           {.unit = "us",
            .doc = "from asking the store to the first byte; default 500",
            .min = 0,
            .max = 1e7,
            .scale = 1e-6,
            .needs = kStore})
      .add("kv_peers", &K::peers,
           {.doc = "what is read of other instances: their host memory, or any cache of theirs"})
      .add("kv_peer_latency_us", &K::peer_latency,
           {.unit = "us",
            .doc = "from asking another instance to the first byte; default 500",
            .min = 0,
            .max = 1e7,
            .scale = 1e-6,
            .needs = kPeers})
      .add("kv_network_bandwidth_gb_per_s", &K::network_bandwidth,
           {.unit = "GB/s",
            .doc = "of one instance to store and peers, each way, in place of its GPUs' adapters",
            .min = 0.001,
            .max = 1e5,
            .scale = 1e9,
            .needs = kEither})
      .add("kv_min_retrieve_tokens", &K::least_tokens,
           {.doc = "fewer tokens are computed again; default 0, with sglang 256",
            .min = 0,
            .max = 1e9,
            .needs = kEither})
      .add("kv_remote_fetch", &K::fetch,
           {.doc = "which prefixes come from store and peers: those that is faster for, or all",
            .needs = kEither})
      .table();
}

}  // namespace warploom
