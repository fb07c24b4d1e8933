// Paths between GPUs: the link inside a node or rack, the host bus, and the network between nodes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

// What carries the bytes. None: no such path.
enum class LinkKind { None, NvLink, InfinityFabric, Pcie, InfiniBand, Ethernet };
template <>
struct EnumNames<LinkKind> {
  static constexpr std::array<std::pair<LinkKind, std::string_view>, 6> kNames{
      {{LinkKind::None, "none"},
       {LinkKind::NvLink, "nvlink"},
       {LinkKind::InfinityFabric, "infinity_fabric"},
       {LinkKind::Pcie, "pcie"},
       {LinkKind::InfiniBand, "infiniband"},
       {LinkKind::Ethernet, "ethernet"}}};
};

// How the GPUs of a domain are joined.
enum class Topology {
  Switched,  // any pair at a GPU's full bandwidth (NVSwitch, network fabric)
  Mesh,      // a pair has bandwidth / (domain_size - 1): direct links to every other GPU
  HostBus    // through PCIe switches and the CPUs: pairs share the host's bandwidth
};
template <>
struct EnumNames<Topology> {
  static constexpr std::array<std::pair<Topology, std::string_view>, 3> kNames{
      {{Topology::Switched, "switched"}, {Topology::Mesh, "mesh"}, {Topology::HostBus, "host_bus"}}};
};

// One path. JSON keys: kind, topology, bandwidth_gb_per_s, latency_us, domain_size, in_network_reduction.
struct InterconnectSpec {
  LinkKind kind = LinkKind::None;
  Topology topology = Topology::Switched;
  BytesPerSecond bandwidth;           // per GPU, one direction, raw
  Seconds latency;                    // one hop of a small message; no library, no kernel launch
  std::int64_t domain_size = 1;       // GPUs joined by it; 0 = no limit (a network)
  bool in_network_reduction = false;  // the switch can add (NVLink SHARP, InfiniBand SHARP)

  bool exists() const { return kind != LinkKind::None; }
  // Whether `ranks` GPUs fit in one domain of it. O(1).
  bool spans(std::int64_t ranks) const { return exists() && (domain_size == 0 || ranks <= domain_size); }

  // Throws InvalidInput when a path that exists has no bandwidth.
  void check(std::string_view where) const;
  static FieldTable describe();
};

}  // namespace warploom
