// Operators whose time is traffic: row-wise and element-wise kernels, linear attention, communication. The
// base of kernels/rows/row_base.h, its parts and the sizes.
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/rows/row_base.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

void add_stream(const Operator& op, const FeatureInput& input, OperatorFeatures& row) {
  constexpr double kMostRowsPerSm = 64;
  const GpuSpec& gpu = input.gpu;
  const RowBase base = row_base(family_value(op).traffic(op), gpu, input.fitted);
  const RowTraffic& traffic = base.traffic;
  const double bytes = traffic.read + traffic.written;
  row.log_base = std::log(base.seconds);
  row.add(double(kind_code(op)));
  row.add_log2(base.seconds);
  row.add_log2(base.stream / base.seconds);
  row.add_log2(bytes);
  row.add_log2(bytes / gpu.l2_capacity.value());
  row.add_log2(traffic.rows);
  row.add_log2(traffic.width);
  row.add(std::min(traffic.rows / double(gpu.sm_count), kMostRowsPerSm));
}

void add_scan(const LinearAttention& op, const FeatureInput& input, OperatorFeatures& row) {
  const GpuSpec& gpu = input.gpu;
  const ScanBase base = scan_base(op, gpu, input.fitted);
  const double sequences = double(op.sequences);
  row.log_base = std::log(base.seconds);
  row.add(double(kind_code(op)));
  row.add_log2(base.seconds);
  row.add_log2(base.stream / base.seconds);
  row.add_log2(base.math / base.seconds);
  row.add_log2(double(op.sequences * op.tokens_per_sequence));
  row.add_log2(sequences);
  row.add_log2(double(op.tokens_per_sequence));
  row.add_log2(double(op.key_heads));
  row.add_log2(double(op.value_heads));
  row.add_log2(double(op.key_dim));
  row.add_log2(double(op.value_dim));
  row.add_log2(double(op.state_size));
  row.add(double(op.convolution_width));
  row.add_log2(base.bytes / gpu.l2_capacity.value());
  row.add_log2(sequences * double(op.value_heads) / double(gpu.sm_count));
}

void add_collective(const Collective& op, const FeatureInput& input, OperatorFeatures& row) {
  const GpuSpec& gpu = input.gpu;
  const CollectiveBase base = collective_base(op, gpu, input.fitted);
  row.log_base = std::log(base.seconds);
  row.add_log2(base.seconds);
  row.add_log2(base.transfer / base.seconds);
  row.add_log2(std::max(op.size.value(), 1.0));
  row.add_log2(double(op.ranks));
  row.add_log2(base.per_node);
  row.add_log2(base.bandwidth);
  row.add(double(gpu.link_domain_size));
  row.add(gpu.link_bandwidth.value() > 0 ? 1 : 0);
  row.add_log2(base.exchange.bytes);
  row.add_log2(base.exchange.tokens);
  row.add(base.exchange.peers);
}

template <class Op>
constexpr FeatureSource stream() {
  return {.place = place_in_variant<Op>(static_cast<const Operator*>(nullptr)),
          .add = add_stream,
          .layer = nullptr,
          .trees = kUsualTrees};
}

constexpr std::array kSources{stream<RmsNorm>(),
                              stream<Activation>(),
                              stream<Elementwise>(),
                              stream<Rope>(),
                              stream<KvWrite>(),
                              stream<Quantize>(),
                              stream<Embedding>(),
                              stream<Sampling>(),
                              feature_source<LinearAttention, add_scan>(),
                              feature_source<Collective, add_collective>()};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kStreamFeatures = features::kSources;
}  // namespace warploom
