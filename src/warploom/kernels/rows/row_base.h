// Structural times of what moves bytes: row-wise and element-wise kernels, recurrent layers, collectives.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Bytes in and out, each once, of rows of some width.
struct RowTraffic {
  double read = 0, written = 0;
  double rows = 1, width = 1;
};
// seconds = launch + stream.
struct RowBase {
  double seconds = 0, launch = 0;
  double stream = 0;  // bytes / (share of DRAM's peak)
  RowTraffic traffic;
};
RowBase row_base(const RowTraffic& traffic, const GpuSpec& gpu, const BaseConstants& fitted);

// seconds = launch + stream + math + serial.
struct ScanBase {
  double seconds = 0, launch = 0, stream = 0;
  double math = 0;    // products on the matrix unit
  double serial = 0;  // chunks of a scan, one after the other
  double bytes = 0, flop = 0;
};
ScanBase scan_base(const LinearAttention& op, const GpuSpec& gpu, const BaseConstants& fitted);

// What dispatch and combine move: a token once to each other GPU that holds some of its experts.
struct Exchange {
  double tokens = 0, peers = 0, bytes = 0;
};

// seconds = launch + transfer. What is learned of collectives is learned over it; across nodes it prices
// dispatch and combine alone (collectives/across_nodes.h has the rest).
struct CollectiveBase {
  double seconds = 0, launch = 0;  // call, ranks and, across nodes, the adapters
  double transfer = 0;             // volume / (share of bandwidth)
  double volume = 0;               // bytes that each GPU sends
  double bandwidth = 0;            // of the narrowest path, B/s
  double per_node = 0;             // ranks of one node
  Exchange exchange;
};
CollectiveBase collective_base(const Collective& op, const GpuSpec& gpu, const BaseConstants& fitted);

}  // namespace warploom
