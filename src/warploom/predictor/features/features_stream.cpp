// Operators whose time is traffic: row-wise and element-wise kernels, linear attention, communication.
#include <type_traits>
#include <variant>

#include "warploom/predictor/features/feature_parts.h"
#include "warploom/predictor/features/features.h"

namespace warploom::features {
namespace {

enum FittedStream : std::size_t { kStreamLaunchSeconds, kStreamDramRate };
constexpr std::array kStreamConstants{
    ConstantSpec{"launch_seconds", 2e-6, 0.3e-6, 20e-6, 0.5},
    ConstantSpec{"dram_share", 0.8, 0.3, 1, 0.15},
};
enum FittedScan : std::size_t { kScanLaunchSeconds, kScanDramRate, kScanRateShare, kScanChunkSeconds };
constexpr std::array kScanConstants{
    ConstantSpec{"launch_seconds", 4e-6, 0.5e-6, 40e-6, 0.5}, ConstantSpec{"dram_share", 0.8, 0.3, 1, 0.15},
    ConstantSpec{"rate_share", 0.3, 0.05, 1, 0.3},
    ConstantSpec{"chunk_seconds", 1e-6, 0.1e-6, 5e-6, 0.4},  // a scan walks 64 tokens at a time
};
enum FittedCollective : std::size_t { kCallSeconds, kRankSeconds, kAcrossSeconds, kLinkShare };
constexpr std::array kCollectiveConstants{
    ConstantSpec{"call_seconds", 6e-6, 1e-6, 40e-6, 0.5},
    ConstantSpec{"rank_seconds", 1e-6, 0.1e-6, 8e-6, 0.5},
    ConstantSpec{"across_seconds", 15e-6, 2e-6, 100e-6, 0.5},
    ConstantSpec{"link_share", 0.75, 0.2, 1, 0.2},
};

struct Traffic {
  double read = 0, written = 0;  // bytes
  double rows = 1, width = 1;
};

Traffic traffic_of(const Operator& op) {
  return std::visit(
      [](const auto& o) -> Traffic {
        using T = std::decay_t<decltype(o)>;
        if constexpr (std::is_same_v<T, RmsNorm>) {
          const double bytes = double(o.tokens * o.width) * bytes_per_element(o.type);
          return {bytes * (o.residual ? 2 : 1), bytes * (o.residual ? 2 : 1), double(o.tokens),
                  double(o.width)};
        } else if constexpr (std::is_same_v<T, Activation>) {
          const double bytes = double(o.tokens * o.width) * bytes_per_element(o.type);
          return {bytes * (o.gated ? 2 : 1), bytes, double(o.tokens), double(o.width)};
        } else if constexpr (std::is_same_v<T, Elementwise>) {
          const double bytes = double(o.rows * o.width) * bytes_per_element(o.type);
          return {bytes * double(o.inputs), bytes, double(o.rows), double(o.width)};
        } else if constexpr (std::is_same_v<T, Rope>) {
          const double width = double((o.heads + o.kv_heads) * o.head_dim);
          const double bytes = double(o.tokens) * width * bytes_per_element(o.type);
          return {bytes, bytes, double(o.tokens), width};
        } else if constexpr (std::is_same_v<T, KvWrite>) {
          const double width = double(2 * o.kv_heads * o.head_dim);
          const double elements = double(o.tokens) * width;
          return {elements * bytes_per_element(o.type), elements * bytes_per_element(o.kv_cache),
                  double(o.tokens), width};
        } else if constexpr (std::is_same_v<T, Quantize>) {
          const double elements = double(o.rows * o.width);
          return {elements * (o.dynamic ? 4.0 : 2.0), elements * bytes_per_element(o.target), double(o.rows),
                  double(o.width)};
        } else if constexpr (std::is_same_v<T, Embedding>) {
          const double bytes = double(o.tokens * o.hidden) * bytes_per_element(o.type);
          return {bytes, bytes, double(o.tokens), double(o.hidden)};
        } else if constexpr (std::is_same_v<T, Sampling>) {
          const double bytes = double(o.sequences * o.vocabulary) * 4;
          return {2 * bytes, 0, double(o.sequences), double(o.vocabulary)};  // soft-max, then the choice
        } else {
          return {};
        }
      },
      op);
}

}  // namespace

std::span<const ConstantSpec> stream_constants() { return kStreamConstants; }
std::span<const ConstantSpec> linear_attention_constants() { return kScanConstants; }
std::span<const ConstantSpec> collective_constants() { return kCollectiveConstants; }

void add_stream(const Operator& op, const GpuSpec& gpu, const BaseConstants& fitted, OperatorFeatures& row) {
  const Traffic traffic = traffic_of(op);
  const double bytes = traffic.read + traffic.written, l2 = gpu.l2_capacity.value();
  const double stream = bytes / (fitted[kStreamDramRate] * gpu.memory_bandwidth.value());
  const double base = fitted[kStreamLaunchSeconds] + stream;
  row.log_base = std::log(base);
  row.add(double(kind_code(op)));
  row.add_log2(base);
  row.add_log2(stream / base);
  row.add_log2(bytes);
  row.add_log2(bytes / l2);
  row.add_log2(traffic.rows);
  row.add_log2(traffic.width);
  row.add(std::min(traffic.rows / double(gpu.sm_count), 64.0));
}

void add_linear_attention(const LinearAttention& op, const GpuSpec& gpu, const BaseConstants& fitted,
                          OperatorFeatures& row) {
  const double tokens = double(op.sequences * op.tokens_per_sequence), sequences = double(op.sequences);
  const double keys = double(op.key_heads * op.key_dim), values = double(op.value_heads * op.value_dim);
  const bool mamba = op.kind == LinearAttentionKind::Mamba2;
  const double depth = mamba ? double(op.state_size) : double(op.key_dim);
  const double states = sequences * values * depth * 4;
  double bytes = 0, flop = 0;
  if (op.stage == LinearAttentionStage::Convolution) {
    bytes = 2 * 2 * tokens * (2 * keys + values);
    flop = 2 * tokens * (2 * keys + values) * double(op.convolution_width);
  } else {
    bytes = 2 * tokens * (2 * keys + 2 * values) + 2 * states;
    flop = 4 * tokens * values * (depth + (op.stage == LinearAttentionStage::Scan ? 64 : 0));
  }
  const double stream = bytes / (fitted[kScanDramRate] * gpu.memory_bandwidth.value());
  const double math =
      flop / (fitted[kScanRateShare] * gpu.tensor_rate(tensor_rate_per_clock(gpu, DataType::Bf16)).value());
  const double serial = op.stage == LinearAttentionStage::Scan
                            ? double(op.tokens_per_sequence) / 64 * fitted[kScanChunkSeconds]
                            : 0.0;
  const double base = fitted[kScanLaunchSeconds] + stream + math + serial;
  row.log_base = std::log(base);
  row.add(double(kind_code(op)));
  row.add_log2(base);
  row.add_log2(stream / base);
  row.add_log2(math / base);
  row.add_log2(tokens);
  row.add_log2(sequences);
  row.add_log2(double(op.tokens_per_sequence));
  row.add_log2(double(op.key_heads));
  row.add_log2(double(op.value_heads));
  row.add_log2(double(op.key_dim));
  row.add_log2(double(op.value_dim));
  row.add_log2(double(op.state_size));
  row.add(double(op.convolution_width));
  row.add_log2(bytes / gpu.l2_capacity.value());
  row.add_log2(sequences * double(op.value_heads) / double(gpu.sm_count));
}

namespace {

// What dispatch and combine move: a token once to each other GPU that holds some of its experts.
struct Exchange {
  double tokens = 0, peers = 0, bytes = 0;
};

Exchange exchange_of(const Collective& op) {
  constexpr double kUsualTopK = 8, kUsualToken = 7168;  // where the operator does not say
  const double top_k = op.top_k > 0 ? double(op.top_k) : kUsualTopK;
  const double token = op.token_bytes.value() > 0
                           ? op.token_bytes.value()
                           : kUsualToken * (op.kind == CollectiveKind::Combine ? 2 : 1);
  const double ranks = double(op.ranks), tokens = std::max(op.size.value() / (top_k * token), 1.0);
  const double peers = (ranks - 1) * (1 - std::pow(1 - 1 / ranks, top_k));
  return {tokens, peers, tokens * peers * token};
}

}  // namespace

void add_collective(const Collective& op, const GpuSpec& gpu, const BaseConstants& fitted,
                    OperatorFeatures& row) {
  const double ranks = double(op.ranks), size = std::max(op.size.value(), 1.0);
  const double per_node = op.ranks_per_node > 0 ? double(op.ranks_per_node) : ranks;
  const bool across = per_node < ranks;
  const double link =
      gpu.link_bandwidth.value() > 0 ? gpu.link_bandwidth.value() : gpu.pcie_bandwidth.value();
  const double network = 25e9;  // bytes/s per GPU: 200 Gbit/s, the usual adapter of such a node
  const double bandwidth = across ? std::min(network, link) : link;
  const bool exchanges = op.kind == CollectiveKind::Dispatch || op.kind == CollectiveKind::Combine;
  const Exchange exchange = exchanges ? exchange_of(op) : Exchange{};
  double volume = size;  // bytes that each GPU sends
  switch (op.kind) {
    case CollectiveKind::AllReduce:
      volume = 2 * (ranks - 1) / ranks * size;
      break;
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
      volume = (ranks - 1) / ranks * size;
      break;
    case CollectiveKind::Dispatch:
    case CollectiveKind::Combine:
      volume = exchange.bytes;
      break;
    default:
      break;
  }
  const double transfer = volume / (fitted[kLinkShare] * bandwidth);
  const double base = fitted[kCallSeconds] + fitted[kRankSeconds] * ranks +
                      (across ? fitted[kAcrossSeconds] : 0.0) + transfer;
  row.log_base = std::log(base);
  row.add_log2(base);
  row.add_log2(transfer / base);
  row.add_log2(size);
  row.add_log2(ranks);
  row.add_log2(per_node);
  row.add_log2(bandwidth);
  row.add(double(gpu.link_domain_size));
  row.add(gpu.link_bandwidth.value() > 0 ? 1 : 0);
  row.add_log2(exchange.bytes);
  row.add_log2(exchange.tokens);
  row.add(exchange.peers);
}

}  // namespace warploom::features
