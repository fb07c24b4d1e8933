// The time of NCCL's collectives whose ranks lie in several nodes: a model of its own, not learned.
//
// Each algorithm takes a latency, which grows with its hops, and the bytes over the narrowest of what they
// pass; NCCL takes the fastest, and so does this:
//   ring        2 (n-1)/n of the buffer passes each link and the adapters of each node
//   tree        two nodes exchange the buffer once; of more, each sends it twice (double binary tree).
//               Inside a node a chain carries it up and down
//   NVLS tree   as the tree between nodes; inside, NVLink's switches add up and spread (Hopper and later)
//   in network  the network's switches add up: each node sends and receives the buffer once
//   pairs       all-to-all, send and receive: what leaves the node, by each GPU's share of the adapters
// data/collectives/nccl.json has the figures and their sources (nccl_tuning.h).
#pragma once

#include <optional>
#include <string_view>

#include "warploom/base/units.h"
#include "warploom/kernels/collectives/node_span.h"

namespace warploom {

struct AcrossNodes {
  Seconds time;             // latency + transfer
  Seconds latency;          // of the call and its hops
  Seconds transfer;         // the buffer at the rate that the algorithm and protocol reach
  Seconds least;            // no algorithm beats it: what must leave a node over its adapters' raw rate
  std::string_view kernel;  // "nccl_ring", "nccl_tree", "nccl_nvls_tree", ...; on AMD "rccl_..."
};

// Nothing: dispatch and combine (network_kernels.h), and whatever stays inside one link domain.
std::optional<AcrossNodes> price_across_nodes(const Collective& op, const GpuSpec& gpu);

// Whether `kernel` is a name that AcrossNodes gives.
bool is_network_kernel(std::string_view kernel);

}  // namespace warploom
