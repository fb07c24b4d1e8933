// A server (or a tray of a rack) full of one GPU, and how its GPUs reach each other and other nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/hardware/interconnect.h"

namespace warploom {

// Immutable after load. JSON keys: name, title, aliases, gpu, gpus_per_node, link, host_bus, network, source.
struct NodeSpec {
  std::string name;   // canonical id: lower case, for example "hgx_h100"
  std::string title;  // for people
  std::vector<std::string> aliases;
  std::string gpu;  // canonical name of its GPU
  std::int64_t gpus_per_node = 8;
  InterconnectSpec link;      // direct, between GPUs; its domain may be wider than the node (NVL72)
  InterconnectSpec host_bus;  // PCIe between GPUs of the node; None when it has one GPU
  InterconnectSpec network;   // between nodes
  std::string source;         // where the numbers come from

  // The path that bounds a collective of `ranks` GPUs, of which `ranks_per_node` share a node (0: as many as
  // fit): the link where its domain holds them all, else the host bus inside one node, else the network.
  // O(1). Throws InvalidInput on ranks below 2 or more ranks per node than the node has GPUs.
  const InterconnectSpec& path(std::int64_t ranks, std::int64_t ranks_per_node = 0) const;

  // Throws InvalidInput on a node whose parts contradict each other.
  void check(std::string_view where) const;
  static FieldTable describe();
};

// The usual node of a GPU, derived from its record: its link domain (8 GPUs on PCIe when it has none or pairs
// only), and one network adapter per GPU at the speed of its generation.
NodeSpec default_node(const GpuSpec& gpu);

}  // namespace warploom
