// Where the ranks of a collective are, and what joins them.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Rates in B/s, one direction, raw.
struct NodeSpan {
  double ranks = 2;
  double per_domain = 2;    // ranks that reach each other without the network
  double domains = 1;       // link domains (nodes; racks of an NVL72) that hold ranks
  double link = 0;          // of one GPU inside a domain
  double nic = 0;           // of one GPU: its share of the node's adapters
  double hop = 0;           // s, a small message between nodes beyond a usual network's
  bool direct_link = true;  // inside by NVLink or Infinity Fabric, not by the host's bus
  bool link_reduces = false, network_reduces = false;  // switches that add up

  bool crosses() const { return domains > 1; }
  // Rate of all adapters that a domain's ranks share.
  double domain_nics() const { return per_domain * nic; }
};

// From the operator's own figures, else the built-in record of the GPU's node, else default_node. Where the
// operator does not say how many ranks share a domain, as many as the record's node or rack joins. Expects a
// checked operator.
NodeSpan node_span(const Collective& op, const GpuSpec& gpu);

// Whether the operator is a collective that node_span finds in several link domains.
bool crosses_nodes(const Operator& op, const GpuSpec& gpu);

}  // namespace warploom
