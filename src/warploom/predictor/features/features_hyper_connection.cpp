// Hyper-connections: the traffic of their rows, as of other streams, and their parts.
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/rows/row_base.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

void add_hyper_connection(const HyperConnection& op, const FeatureInput& input, OperatorFeatures& row) {
  constexpr double kMostRowsPerSm = 64;
  const GpuSpec& gpu = input.gpu;
  const RowBase base = row_base(HyperConnection::kFamily.traffic(op), gpu, input.fitted);
  const RowTraffic& traffic = base.traffic;
  const double bytes = traffic.read + traffic.written;
  row.log_base = std::log(base.seconds);
  row.add(int(op.part));
  row.add_log2(base.seconds);
  row.add_log2(base.stream / base.seconds);
  row.add_log2(bytes);
  row.add_log2(bytes / gpu.l2_capacity.value());
  row.add_log2(traffic.rows);
  row.add_log2(traffic.width);
  row.add(std::min(traffic.rows / double(gpu.sm_count), kMostRowsPerSm));
}

constexpr std::array kSources{
    feature_source<HyperConnection, add_hyper_connection>({.trees = 64, .depth = 5, .eta = 0.2})};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kHyperConnectionFeatures = features::kSources;
}  // namespace warploom
