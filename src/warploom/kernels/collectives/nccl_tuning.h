// How NCCL's algorithms and protocols behave across nodes, as its own tuning model has them.
//
// Source: NVIDIA/nccl, src/graph/tuning.cc (latencies, shares, correction factors) and
// src/graph/topo.h (rates of a link). They are NCCL's, tuned on NVIDIA's systems; but for what names another
// source none was chosen here.
#pragma once

#include <array>
#include <cstddef>

namespace warploom {

// LL sends 8 bytes with a flag in each, LL128 128 bytes with one flag, Simple waits for whole chunks.
enum class NcclProtocol : std::size_t { LL, LL128, Simple };
inline constexpr std::size_t kNcclProtocols = 3;

// s: of the call, and of one hop inside a node and across.
struct NcclLatency {
  double base = 0, nvlink = 0, pcie = 0, network = 0;
};
using NcclLatencies = std::array<NcclLatency, kNcclProtocols>;

inline constexpr NcclLatencies kRingLatency{
    {{6.6e-6, 0.6e-6, 1.0e-6, 2.7e-6}, {14.0e-6, 1.9e-6, 2.5e-6, 4.0e-6}, {8.4e-6, 3.4e-6, 5.7e-6, 14.0e-6}}};
inline constexpr NcclLatencies kTreeLatency{{{6.8e-6, 0.6e-6, 1.0e-6, 5.0e-6},
                                             {14.0e-6, 1.25e-6, 1.9e-6, 8.5e-6},
                                             {8.4e-6, 4.0e-6, 4.0e-6, 14.0e-6}}};
// Simple alone. The in-network tree is CollNet's (SHARP of InfiniBand).
inline constexpr NcclLatency kNvlsTreeLatency{0, 25.0e-6, 0, 20.9e-6};
inline constexpr NcclLatency kInNetworkLatency{0, 3.7e-6, 3.7e-6, 31.0e-6};
inline constexpr double kInNetworkArity = 0.4e-6;  // s, each further GPU of a node

// What the host's proxy needs to post one message; Simple posts three.
inline constexpr double kPostSeconds = 1.0e-6;
inline constexpr double kPostsOfSimple = 3;
// Rings of all-reduces in Simple reach their rate late.
inline constexpr double kRingPlateau = 1.4;

// Shares of the raw rate of a link and of an adapter. Links: 20 of 25 GB/s (sm_80), 20.6 of 25 (sm_90), 40.1
// of 50 (sm_100). Adapters: "46-48 GB/s per NIC" of 50 (NVIDIA/nccl-tests, issue 290).
inline constexpr double kLinkShare = 0.8, kHopperLinkShare = 0.824, kNicShare = 0.94;
// By direct sends between pairs, as an all-to-all has them: 19.8 GB/s of bus bandwidth on two nodes of eight
// A100 with 12.5 GB/s a GPU, 8/15 of it across (NVIDIA/nccl, issue 1138).
inline constexpr double kPairShare = 0.85;

// The payload's share of the bytes on a wire: half of LL's, 120 of 128 of LL128's.
inline constexpr double kLLPayload = 0.5, kLL128Payload = 120.0 / 128, kRingLL128Share = 0.92;
inline constexpr double kLonelyRingLL128Share = 0.7;  // one GPU a node sends and receives by one adapter
inline constexpr double kTreeShare = 0.92, kTreeLLShare = 1 / 3.8;
// B/s of LL on two nodes and on more, set by the host's CPU (Intel's).
inline constexpr double kLLRateOfTwo = 39.0e9, kLLRateOfMore = 20.4e9;

// NVLink SHARP: of the link's rate that NCCL's channels use (320 of 450 GB/s, 640 of 900), what the switches
// leave of it, and the channels, one of which is lost.
inline constexpr double kNvlsLinkShare = 0.711, kNvlsChannels = 16;
inline constexpr double kNvlsOfHopper = 0.85, kNvlsOfBlackwell = 0.74;
// A pipeline fills window by window: 16 channels, the 8 GPUs that a switch adds up, 128 KiB a chunk
// (src/enqueue.cc); shorter buffers are cut into four. Its stages: add up in the node, cross, spread.
inline constexpr double kNvlsWindow = 16.0 * 8 * 128 * 1024, kLeastWindows = 4, kNvlsStages = 3;
// From how many bytes, for each further node, NVLink SHARP is taken; below, a tree in LL and LL128 is
// (NVIDIA/nccl-tests, issue 309: the times on 2 and on 4 nodes jump from one to the other here).
inline constexpr double kNvlsFromBytes = 512.0 * 1024;

// Trees do not keep to the model at middle sizes: shares of their rate at 64 B and each power of two on.
inline constexpr std::size_t kTreeSizes = 23;
inline constexpr double kFirstTreeSize = 64;
inline constexpr std::array<std::array<double, kTreeSizes>, kNcclProtocols> kTreeCorrection{
    {{1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1.0, 1.0, 1.0, 1.0},
     {1.0, 1.0, 1.0, 1.0, 1.0, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1.0, 1.0},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}};

}  // namespace warploom
