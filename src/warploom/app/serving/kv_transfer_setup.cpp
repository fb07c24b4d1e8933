#include "warploom/app/serving/kv_transfer_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/hardware/node_catalog.h"

namespace warploom {
namespace {

// Blocks of a paged cache are sent as many small messages. Estimates; --kv-transfer-bandwidth-gb-per-s
// overrides them.
constexpr double kLinkShare = 0.8;
// A socket copies through host memory on both sides and keeps a core busy for each stream.
constexpr double kTcpShare = 0.3;
constexpr Seconds kTcpLatency = microseconds(50);

bool share_a_domain(const NodeSpec& node, const ServingSetup& prefill, const ServingSetup& decode) {
  return prefill.gpu->name == decode.gpu->name &&
         node.link.spans(prefill.sharding.gpus_per_replica() + decode.sharding.gpus_per_replica());
}

struct Path {
  BytesPerSecond bandwidth;
  Seconds latency;
};

Path path_of(KvTransferPath path, const NodeSpec& node, const NodeNetwork& given) {
  if (path == KvTransferPath::NvLink) return {node.link.bandwidth * kLinkShare, node.link.latency};
  if (!node.network.exists()) {
    throw InvalidInput(
        fmt::format("kv_transfer_path: {} has no network, expected nvlink or a bandwidth", node.title));
  }
  const BytesPerSecond network = network_per_gpu(node, given);
  if (path == KvTransferPath::Rdma) return {network * kLinkShare, node.network.latency};
  return {network * kTcpShare, node.network.latency + kTcpLatency};
}

// GPUs that hold a part of a request each; replicated heads count once.
double holders(const Sharding& sharding) {
  return double(sharding.tensor_parallel * sharding.pipeline_parallel * sharding.prefill_context_parallel);
}

}  // namespace

FieldTable KvTransferRequest::describe() {
  using K = KvTransferRequest;
  return FieldList<K>("kv_transfer")
      .add("kv_transfer_path", &K::path, {.doc = "what carries keys and values between the pools"})
      .add("kv_transfer_overlap", &K::overlap,
           {.doc = "send after the prefill, or layers as they are computed"})
      .add("kv_transfer_bandwidth_gb_per_s", &K::bandwidth,
           {.unit = "GB/s",
            .doc = "of one GPU, in place of the node record's",
            .min = 0.001,
            .max = 1e5,
            .scale = 1e9})
      .add("kv_transfer_latency_us", &K::latency,
           {.unit = "us",
            .doc = "of one transfer, in place of the node record's",
            .min = 0,
            .max = 1e7,
            .scale = 1e-6})
      .add("kv_transfer_handshake_ms", &K::handshake,
           {.unit = "ms",
            .doc = "of one transfer before its first byte, in place of the host profile's",
            .min = 0,
            .max = 1e6,
            .scale = 1e-3})
      .table();
}

KvTransferSetup kv_transfer_of(const ServingSetup& prefill, const ServingSetup& decode,
                               const KvTransferRequest& request) {
  GpuCatalog gpus;
  const NodeCatalog nodes(gpus);
  const NodeSpec from = nodes.node_of(*prefill.gpu), to = nodes.node_of(*decode.gpu);
  KvTransferSetup setup;
  setup.path = request.path;
  const bool one_domain = share_a_domain(from, prefill, decode);
  if (setup.path == KvTransferPath::Auto)
    setup.path = one_domain                                  ? KvTransferPath::NvLink
                 : from.network.kind == LinkKind::InfiniBand ? KvTransferPath::Rdma
                                                             : KvTransferPath::Tcp;
  if (request.path == KvTransferPath::NvLink && !one_domain) {
    throw InvalidInput(
        fmt::format("kv_transfer_path: one instance of each pool ({} + {} GPUs) does not fit into one NVLink "
                    "domain of {}, "
                    "expected rdma or tcp",
                    prefill.sharding.gpus_per_replica(), decode.sharding.gpus_per_replica(), from.title));
  }
  KvTransferPlan& plan = setup.plan;
  plan.footprint = kv_footprint(prefill.model, Sharding{}, prefill.graph.kv_cache);
  const KvFootprint decoding = kv_footprint(decode.model, Sharding{}, decode.graph.kv_cache);
  if (plan.footprint.of_request(1000) != decoding.of_request(1000)) {
    throw InvalidInput(
        "kv_cache_dtype: the two pools keep keys and values of different size, expected the same model and "
        "type");
  }
  plan.layers = prefill.model.layer_count();
  const Path out = path_of(setup.path, from, prefill.graph.network),
             in = path_of(setup.path, to, decode.graph.network);
  // Each GPU that holds a part of the request sends it; replicated heads are sent once.
  const double senders = holders(prefill.sharding), receivers = holders(decode.sharding);
  plan.prefill_bandwidth = request.bandwidth.value_or(out.bandwidth) * senders;
  plan.decode_bandwidth = request.bandwidth.value_or(in.bandwidth) * receivers;
  plan.latency = request.latency.value_or(std::max(out.latency, in.latency));
  plan.handshake = request.handshake.value_or(std::max(prefill.handshake, decode.handshake));
  plan.layerwise = request.overlap == KvTransferOverlap::Layerwise;
  return setup;
}

BytesPerSecond cache_bandwidth_of(const ServingSetup& setup) {
  GpuCatalog gpus;
  const NodeSpec node = NodeCatalog(gpus).node_of(*setup.gpu);
  if (!node.network.exists())
    throw InvalidInput(
        fmt::format("kv_network_bandwidth_gb_per_s: {} has no network, expected what an instance reads over",
                    node.title));
  const bool rdma = node.network.kind == LinkKind::InfiniBand;
  const Path path = path_of(rdma ? KvTransferPath::Rdma : KvTransferPath::Tcp, node, setup.graph.network);
  return path.bandwidth * holders(setup.sharding);
}

}  // namespace warploom
