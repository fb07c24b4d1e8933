// A server (or a tray of a rack) full of one GPU, and how its GPUs reach each other and other nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/hardware/interconnect.h"

namespace warploom {

// Immutable after load. JSON keys: name, title, aliases, gpu, gpus_per_node, nics_per_node, link, host_bus,
// network, source.
struct NodeSpec {
  std::string name;   // canonical id: lower case, for example "hgx_h100"
  std::string title;  // for people
  std::vector<std::string> aliases;
  std::string gpu;  // canonical name of its GPU
  std::int64_t gpus_per_node = 8;
  std::int64_t nics_per_node = 8;  // network adapters, shared out evenly among the GPUs
  InterconnectSpec link;           // direct, between GPUs; its domain may be wider than the node (NVL72)
  InterconnectSpec host_bus;       // PCIe between GPUs of the node; None when it has one GPU
  InterconnectSpec network;        // between nodes; its bandwidth is one adapter's
  std::string source;              // where the numbers come from

  // The path that bounds a collective of `ranks` GPUs, of which `ranks_per_node` share a node (0: as many as
  // fit): the link where its domain holds them all, else the host bus inside one node, else the network.
  // O(1). Throws InvalidInput on ranks below 2 or more ranks per node than the node has GPUs.
  const InterconnectSpec& path(std::int64_t ranks, std::int64_t ranks_per_node = 0) const;

  // GPUs that reach each other without the network: the link's domain where that is wider than the node, else
  // the node's. A link without a limit joins all: 0.
  std::int64_t gpus_per_domain() const;

  // Throws InvalidInput on a node whose parts contradict each other.
  void check(std::string_view where) const;
  static FieldTable describe();
};

// What a run says of the network in place of the node's record; absent: as the record says.
struct NodeNetwork {
  std::optional<BytesPerSecond> nic_rate;  // of one adapter, one direction
  std::optional<std::int64_t> nics_per_node;
  std::optional<double> oversubscription;  // adapters' bandwidth over that of the switches above; record: 1
  bool operator==(const NodeNetwork&) const = default;
  static FieldTable describe();
};

// One GPU's share of the node's adapters, one direction. O(1).
BytesPerSecond network_per_gpu(const NodeSpec& node, const NodeNetwork& given = {});

// The usual node of a GPU, derived from its record: its link domain (8 GPUs on PCIe when it has none or pairs
// only), and one network adapter per GPU at the speed of its generation.
NodeSpec default_node(const GpuSpec& gpu);

}  // namespace warploom
