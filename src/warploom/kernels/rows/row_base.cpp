#include "warploom/kernels/rows/row_base.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

enum FittedStream : std::size_t { kStreamLaunchSeconds, kStreamDramRate };
constexpr auto kStreamConstants =
    from_source("centre of the prior: typical launch and bandwidth of streaming kernels, set by hand",
                std::array{
                    ConstantSpec{"launch_seconds", "s", 2e-6, 0.3e-6, 20e-6, 0.5},
                    ConstantSpec{"dram_share", "1", 0.8, 0.3, 1, 0.15},
                });
enum FittedScan : std::size_t { kScanLaunchSeconds, kScanDramRate, kScanRateShare, kScanChunkSeconds };
constexpr auto kScanConstants =
    from_source("centre of the prior: typical of the chunked scans of Mamba 2, set by hand",
                std::array{
                    ConstantSpec{"launch_seconds", "s", 4e-6, 0.5e-6, 40e-6, 0.5},
                    ConstantSpec{"dram_share", "1", 0.8, 0.3, 1, 0.15},
                    ConstantSpec{"rate_share", "1", 0.3, 0.05, 1, 0.3},
                    ConstantSpec{"chunk_seconds", "s", 1e-6, 0.1e-6, 5e-6, 0.4},
                });
enum FittedCollective : std::size_t { kCallSeconds, kRankSeconds, kAcrossSeconds, kLinkShare };
constexpr auto kCollectiveConstants =
    from_source("centre of the prior: typical latency and rate of NCCL calls, set by hand",
                std::array{
                    ConstantSpec{"call_seconds", "s", 6e-6, 1e-6, 40e-6, 0.5},
                    ConstantSpec{"rank_seconds", "s", 1e-6, 0.1e-6, 8e-6, 0.5},
                    ConstantSpec{"across_seconds", "s", 15e-6, 2e-6, 100e-6, 0.5},
                    ConstantSpec{"link_share", "1", 0.75, 0.2, 1, 0.2},
                });

// Tokens that one step of a scan walks: the chunk length of the public kernels (mamba_ssm, flash-linear-
// attention).
constexpr double kChunkTokens = 64;
constexpr double kStateBytes = 4, kActivationBytes = 2;  // fp32 states, 16-bit activations
// B/s per GPU across nodes, of the base that predictors were fitted over: a scale of what is learned and no
// one's network. Answers come from collectives/network_kernels.h.
constexpr double kNodeAdapter = 25e9;
// For a mixture whose operator does not say: DeepSeek-V3's choices and hidden width, one byte each.
constexpr double kUsualTopK = 8, kUsualToken = 7168;

Exchange exchange_of(const Collective& op) {
  const double top_k = op.top_k > 0 ? double(op.top_k) : kUsualTopK;
  const double token = op.token_bytes.value() > 0
                           ? op.token_bytes.value()
                           : kUsualToken * (op.kind == CollectiveKind::Combine ? 2 : 1);
  const double ranks = double(op.ranks), tokens = std::max(op.size.value() / (top_k * token), 1.0);
  const double peers = (ranks - 1) * (1 - std::pow(1 - 1 / ranks, top_k));
  return {tokens, peers, tokens * peers * token};
}

// Bytes that each GPU sends, as rings do.
double sent_bytes(const Collective& op, double size, const Exchange& exchange) {
  const double ranks = double(op.ranks);
  switch (op.kind) {
    case CollectiveKind::AllReduce:
      return 2 * (ranks - 1) / ranks * size;
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
      return (ranks - 1) / ranks * size;
    case CollectiveKind::Dispatch:
    case CollectiveKind::Combine:
      return exchange.bytes;
    default:
      return size;
  }
}

}  // namespace

std::span<const ConstantSpec> stream_constants() { return kStreamConstants; }
std::span<const ConstantSpec> linear_attention_constants() { return kScanConstants; }
std::span<const ConstantSpec> collective_constants() { return kCollectiveConstants; }

RowBase row_base(const RowTraffic& traffic, const GpuSpec& gpu, const BaseConstants& fitted) {
  RowBase base{.launch = fitted[kStreamLaunchSeconds], .traffic = traffic};
  const double bytes = base.traffic.read + base.traffic.written;
  base.stream = bytes / (fitted[kStreamDramRate] * gpu.memory_bandwidth.value());
  base.seconds = base.launch + base.stream;
  return base;
}

ScanBase scan_base(const LinearAttention& op, const GpuSpec& gpu, const BaseConstants& fitted) {
  const double tokens = double(op.sequences * op.tokens_per_sequence), sequences = double(op.sequences);
  const double keys = double(op.key_heads * op.key_dim), values = double(op.value_heads * op.value_dim);
  const bool mamba = op.kind == LinearAttentionKind::Mamba2;
  const bool scans = op.stage == LinearAttentionStage::Scan;
  const double depth = mamba ? double(op.state_size) : double(op.key_dim);
  const double states = sequences * values * depth * kStateBytes;
  ScanBase base{.launch = fitted[kScanLaunchSeconds]};
  if (op.stage == LinearAttentionStage::Convolution) {
    base.bytes = kActivationBytes * 2 * tokens * (2 * keys + values);
    base.flop = 2 * tokens * (2 * keys + values) * double(op.convolution_width);
  } else {
    base.bytes = kActivationBytes * tokens * (2 * keys + 2 * values) + 2 * states;
    base.flop = 4 * tokens * values * (depth + (scans ? kChunkTokens : 0));
  }
  base.stream = base.bytes / (fitted[kScanDramRate] * gpu.memory_bandwidth.value());
  base.math = base.flop /
              (fitted[kScanRateShare] * gpu.tensor_rate(tensor_rate_per_clock(gpu, DataType::Bf16)).value());
  base.serial = scans ? double(op.tokens_per_sequence) / kChunkTokens * fitted[kScanChunkSeconds] : 0.0;
  base.seconds = base.launch + base.stream + base.math + base.serial;
  return base;
}

CollectiveBase collective_base(const Collective& op, const GpuSpec& gpu, const BaseConstants& fitted) {
  const double ranks = double(op.ranks), size = std::max(op.size.value(), 1.0);
  CollectiveBase base;
  base.per_node = op.ranks_per_node > 0 ? double(op.ranks_per_node) : ranks;
  const bool across = base.per_node < ranks;
  const double link =
      gpu.link_bandwidth.value() > 0 ? gpu.link_bandwidth.value() : gpu.pcie_bandwidth.value();
  base.bandwidth = across ? std::min(kNodeAdapter, link) : link;
  const bool exchanges = op.kind == CollectiveKind::Dispatch || op.kind == CollectiveKind::Combine;
  base.exchange = exchanges ? exchange_of(op) : Exchange{};
  base.volume = sent_bytes(op, size, base.exchange);
  base.transfer = base.volume / (fitted[kLinkShare] * base.bandwidth);
  base.launch = fitted[kCallSeconds] + fitted[kRankSeconds] * ranks + (across ? fitted[kAcrossSeconds] : 0.0);
  base.seconds = base.launch + base.transfer;
  return base;
}

}  // namespace warploom
