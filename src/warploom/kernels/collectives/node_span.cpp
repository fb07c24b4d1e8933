#include "warploom/kernels/collectives/node_span.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "warploom/hardware/node_catalog.h"
#include "warploom/hardware/node_spec.h"

namespace warploom {
namespace {

// What kNetworkHop of the records is for networks as NCCL's own latencies were tuned on: only what a record
// says beyond it is added to them.
constexpr Seconds kUsualHop = microseconds(5.0);

// The built-in records, read once.
const NodeCatalog& built_in_nodes() {
  static const GpuCatalog gpus;
  static const NodeCatalog nodes(gpus);
  return nodes;
}

NodeSpan span_on(const Collective& op, const GpuSpec& gpu, const NodeSpec& node) {
  NodeSpan span{.ranks = double(op.ranks)};
  const std::int64_t domain = op.ranks_per_node > 0 ? op.ranks_per_node : node.gpus_per_domain();
  span.per_domain = domain == 0 ? span.ranks : std::min(double(domain), span.ranks);
  span.domains = std::ceil(span.ranks / span.per_domain);
  span.direct_link = gpu.link_bandwidth.value() > 0;
  span.link = span.direct_link ? gpu.link_bandwidth.value() : gpu.pcie_bandwidth.value();
  span.link_reduces = node.link.in_network_reduction;
  span.network_reduces = node.network.in_network_reduction;
  span.nic = network_per_gpu(node, {.nic_rate = op.nic_rate,
                                    .nics_per_node = op.nics_per_node,
                                    .oversubscription = op.oversubscription})
                 .value();
  span.hop = std::max(0.0, (node.network.latency - kUsualHop).value());
  return span;
}

const NodeSpec* record_of(const GpuSpec& gpu) {
  for (const NodeSpec& node : built_in_nodes().nodes())
    if (node.gpu == gpu.name) return &node;
  return nullptr;
}

}  // namespace

NodeSpan node_span(const Collective& op, const GpuSpec& gpu) {
  const NodeSpec* record = record_of(gpu);
  return record != nullptr ? span_on(op, gpu, *record) : span_on(op, gpu, default_node(gpu));
}

bool crosses_nodes(const Operator& op, const GpuSpec& gpu) {
  const auto* collective = std::get_if<Collective>(&op);
  if (collective == nullptr) return false;
  if (collective->ranks_per_node > 0) return collective->ranks_per_node < collective->ranks;
  // The usual case, without a look at the records.
  if (collective->ranks <= gpu.link_domain_size) return false;
  return node_span(*collective, gpu).crosses();
}

}  // namespace warploom
