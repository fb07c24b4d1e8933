// The path of keys and values from a prefilling instance to a decoding one.
#pragma once

#include <optional>
#include <string>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/serving/cluster/deployment.h"

namespace warploom {

// Auto: NVLink when one domain holds an instance of each pool, else RDMA where there is a network, else TCP.
enum class KvTransferPath { Auto, NvLink, Rdma, Tcp };
template <>
struct EnumNames<KvTransferPath> {
  static constexpr std::array<std::pair<KvTransferPath, std::string_view>, 4> kNames{
      {{KvTransferPath::Auto, "auto"},
       {KvTransferPath::NvLink, "nvlink"},
       {KvTransferPath::Rdma, "rdma"},
       {KvTransferPath::Tcp, "tcp"}}};
};

// When the bytes go: after the whole prompt is computed, or layer by layer while it is.
enum class KvTransferOverlap { None, Layerwise };
template <>
struct EnumNames<KvTransferOverlap> {
  static constexpr std::array<std::pair<KvTransferOverlap, std::string_view>, 2> kNames{
      {{KvTransferOverlap::None, "none"}, {KvTransferOverlap::Layerwise, "layerwise"}}};
};

struct KvTransferRequest {
  KvTransferPath path = KvTransferPath::Auto;
  KvTransferOverlap overlap = KvTransferOverlap::None;
  std::optional<BytesPerSecond> bandwidth;  // of one GPU, one direction; absent: the node record's
  std::optional<Seconds> latency;
  std::optional<Seconds> handshake;  // absent: the longer of the two setups'
  static FieldTable describe();
};

struct KvTransferSetup {
  KvTransferPlan plan;
  KvTransferPath path = KvTransferPath::Rdma;  // resolved
};

// Both setups are of one model. Throws InvalidInput on models whose caches differ or a path that the nodes do
// not have.
KvTransferSetup kv_transfer_of(const ServingSetup& prefill, const ServingSetup& decode,
                               const KvTransferRequest& request);

// What one instance sends or receives over its GPUs' own adapters: RDMA where the node has it, else TCP.
// Throws InvalidInput on nodes without a network.
BytesPerSecond cache_bandwidth_of(const ServingSetup& setup);

}  // namespace warploom
