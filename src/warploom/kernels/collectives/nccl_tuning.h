// How NCCL's algorithms and protocols behave across nodes, as its own tuning model has them: the constants of
// data/collectives/nccl.json, each of which has its unit and source there.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

// LL sends 8 bytes with a flag in each, LL128 128 bytes with one flag, Simple waits for whole chunks.
enum class NcclProtocol : std::size_t { LL, LL128, Simple };
inline constexpr std::size_t kNcclProtocols = 3;

// s: of the call, and of one hop inside a node and across.
struct NcclLatency {
  double base = 0, nvlink = 0, pcie = 0, network = 0;
};
using NcclLatencies = std::array<NcclLatency, kNcclProtocols>;

// Trees do not keep to the model at middle sizes: shares of their rate at first_tree_size and each power of
// two on.
inline constexpr std::size_t kTreeSizes = 23;
using TreeCorrection = std::array<std::array<double, kTreeSizes>, kNcclProtocols>;

struct NcclTuning {
  NcclLatencies ring_latency, tree_latency;
  NcclLatency nvls_tree_latency, in_network_latency;  // Simple alone
  double in_network_arity = 0;                        // s, each further GPU of a node
  double post_seconds = 0, posts_of_simple = 0;       // what the host's proxy needs to post one message
  double ring_plateau = 0;                            // rings of all-reduces in Simple reach their rate late
  // Shares of the raw rate of a link and of an adapter; by direct sends between pairs.
  double link_share = 0, hopper_link_share = 0, nic_share = 0, pair_share = 0;
  // The payload's share of the bytes on a wire.
  double ll_payload = 0, ll128_payload = 0, ring_ll128_share = 0, lonely_ring_ll128_share = 0;
  double tree_share = 0, tree_ll_share = 0;
  double ll_rate_of_two = 0, ll_rate_of_more = 0;  // B/s of LL on two nodes and on more
  // NVLink SHARP: of the link's rate that NCCL's channels use, the channels, what the switches leave of it.
  double nvls_link_share = 0, nvls_channels = 0, nvls_of_hopper = 0, nvls_of_blackwell = 0;
  // Bytes of its pipeline's window, into how many windows a short buffer is cut, stages of the pipeline.
  double nvls_window = 0, least_windows = 0, nvls_stages = 0;
  double nvls_from_bytes = 0;  // for each further node
  double first_tree_size = 0;  // B
  TreeCorrection tree_correction{};
};

// Throws InvalidInput "<where>: ..." on a constant that is missing, of another unit, without a source or that
// this program does not know.
NcclTuning nccl_tuning_from_json(const Json& document, std::string_view where);

// As shipped; read once.
const NcclTuning& nccl_tuning();

}  // namespace warploom
