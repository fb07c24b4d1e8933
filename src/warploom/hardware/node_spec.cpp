#include "warploom/hardware/node_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// One more rank's share of the smallest NCCL all-gather (slope of its latency over 2 to 8 ranks in the shared
// measurements of AIConfigurator): what a hop costs, protocol included. Of links: GpuSpec::link_hop.
constexpr Seconds kPcieHop = microseconds(1.4);
// Not measured here: RDMA between hosts with the PCIe crossings at both ends.
constexpr Seconds kNetworkHop = microseconds(5.0);

// A PCIe server's usual number of GPUs, and that of a tray of an NVL72 rack.
constexpr std::int64_t kGpusPerServer = 8;
constexpr std::int64_t kGpusPerTray = 4;

// One adapter per GPU: HDR InfiniBand, NDR on the servers of this year and later.
constexpr std::int64_t kFirstNdrYear = 2022;
constexpr BytesPerSecond kHdr = gigabytes_per_second(25.0), kNdr = gigabytes_per_second(50.0);
// Boards of eight V100 were meshes; NVSwitch came to them with A100.
constexpr std::int64_t kFirstSwitchYear = 2020;

bool launched_before(const GpuSpec& gpu, std::int64_t year) { return gpu.year > 0 && gpu.year < year; }

InterconnectSpec link_of(const GpuSpec& gpu) {
  if (gpu.link_kind == LinkKind::None || gpu.link_domain_size < 2) return {};
  // NVSwitch joins eight or more; smaller NVLink groups are bridges, and AMD's boards are meshes.
  const bool switched = gpu.link_kind == LinkKind::NvLink && gpu.link_domain_size >= kGpusPerServer &&
                        !launched_before(gpu, kFirstSwitchYear);
  return {.kind = gpu.link_kind,
          .topology = switched ? Topology::Switched : Topology::Mesh,
          .bandwidth = gpu.link_bandwidth,
          .latency = gpu.link_hop,
          .domain_size = gpu.link_domain_size,
          .in_network_reduction = switched && gpu.link_reduces};
}

std::int64_t gpus_per_node_of(const GpuSpec& gpu) {
  if (gpu.link_domain_size > kGpusPerServer) return kGpusPerTray;
  return gpu.link_domain_size > 2 ? gpu.link_domain_size : kGpusPerServer;
}

}  // namespace

FieldTable NodeSpec::describe() {
  return FieldList<NodeSpec>("node record")
      .add("name", &NodeSpec::name, {.doc = "canonical id, lower case", .required = true})
      .add("title", &NodeSpec::title, {.doc = "name for people"})
      .add("aliases", &NodeSpec::aliases, {.doc = "other names"})
      .add("gpu", &NodeSpec::gpu, {.doc = "name of its GPU", .required = true})
      .add("gpus_per_node", &NodeSpec::gpus_per_node, {.doc = "GPUs in one node", .min = 1, .max = 1024})
      .add("nics_per_node", &NodeSpec::nics_per_node,
           {.doc = "network adapters of one node; absent: one for each GPU", .min = 1, .max = 1024})
      .add("link", &NodeSpec::link, {.doc = "direct link between GPUs"})
      .add("host_bus", &NodeSpec::host_bus, {.doc = "PCIe between GPUs of the node"})
      .add("network", &NodeSpec::network, {.doc = "between nodes, of one adapter"})
      .add("source", &NodeSpec::source, {.doc = "where the numbers come from", .required = true})
      .table();
}

FieldTable NodeNetwork::describe() {
  return FieldList<NodeNetwork>("network")
      .add("nic_gb_s", &NodeNetwork::nic_rate,
           {.unit = "GB/s",
            .doc = "of one network adapter, one direction, in place of the node record's",
            .min = 0.01,
            .max = 1e4,
            .scale = 1e9})
      .add("nics_per_node", &NodeNetwork::nics_per_node,
           {.doc = "network adapters of one node, in place of the node record's", .min = 1, .max = 1024})
      .add("oversubscription", &NodeNetwork::oversubscription,
           {.doc = "bandwidth of the adapters over that of the switches above them; absent: 1",
            .min = 1,
            .max = 1000})
      .table();
}

BytesPerSecond network_per_gpu(const NodeSpec& node, const NodeNetwork& given) {
  const BytesPerSecond nic = given.nic_rate.value_or(node.network.bandwidth);
  const auto nics = double(given.nics_per_node.value_or(node.nics_per_node));
  return nic * (nics / (double(node.gpus_per_node) * given.oversubscription.value_or(1)));
}

std::int64_t NodeSpec::gpus_per_domain() const {
  if (!link.exists()) return gpus_per_node;
  return link.domain_size == 0 ? 0 : std::max(link.domain_size, gpus_per_node);
}

const InterconnectSpec& NodeSpec::path(std::int64_t ranks, std::int64_t ranks_per_node) const {
  if (ranks < 2)
    throw InvalidInput(fmt::format("node '{}': {} ranks need no path, expected at least 2", name, ranks));
  if (ranks_per_node < 0 || ranks_per_node > gpus_per_node) {
    throw InvalidInput(fmt::format("node '{}': {} ranks per node, expected 0 to {}, its number of GPUs", name,
                                   ranks_per_node, gpus_per_node));
  }
  const bool one_node = ranks_per_node == 0 ? ranks <= gpus_per_node : ranks <= ranks_per_node;
  const bool rack = link.exists() && (link.domain_size == 0 || link.domain_size > gpus_per_node);
  if ((one_node || rack) && link.spans(ranks)) return link;
  return one_node ? host_bus : network;
}

void NodeSpec::check(std::string_view where) const {
  if (name.empty()) throw InvalidInput(fmt::format("{}: 'name' is empty, expected the node's name", where));
  const std::string part = fmt::format("{}: node '{}'", where, name);
  link.check(part + ": 'link'");
  host_bus.check(part + ": 'host_bus'");
  network.check(part + ": 'network'");
  if (gpus_per_node > 1 && !host_bus.exists() && !link.spans(gpus_per_node)) {
    throw InvalidInput(
        fmt::format("{}: neither 'link' nor 'host_bus' joins its {} GPUs", part, gpus_per_node));
  }
  if (host_bus.exists() && !host_bus.spans(gpus_per_node)) {
    throw InvalidInput(fmt::format("{}: 'host_bus' joins {} GPUs, expected all {} of the node", part,
                                   host_bus.domain_size, gpus_per_node));
  }
}

NodeSpec default_node(const GpuSpec& gpu) {
  NodeSpec node;
  node.name = gpu.name + "_node";
  node.title = "Node of " + gpu.title;
  node.gpu = gpu.name;
  node.gpus_per_node = node.nics_per_node = gpus_per_node_of(gpu);
  node.link = link_of(gpu);
  node.host_bus = {.kind = LinkKind::Pcie,
                   .topology = Topology::HostBus,
                   .bandwidth = gpu.pcie_bandwidth,
                   .latency = kPcieHop,
                   .domain_size = node.gpus_per_node};
  node.network = {.kind = LinkKind::InfiniBand,
                  .topology = Topology::Switched,
                  .bandwidth = launched_before(gpu, kFirstNdrYear) ? kHdr : kNdr,
                  .latency = kNetworkHop,
                  .domain_size = 0};
  node.source = "derived from the GPU's record";
  return node;
}

}  // namespace warploom
