// The MLA module: the base of kernels/attention/mla_module_base.h, its parts as ratios to it, and the sizes.
#include "warploom/kernels/attention/mla_module_base.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

void add_mla_module(const MlaModule& op, const FeatureInput& input, OperatorFeatures& row) {
  constexpr double kMostWaves = 64;
  const GpuSpec& gpu = input.gpu;
  const MlaModuleBase base = mla_module_base(op, gpu, input.fitted);
  const double seconds = base.seconds, heads = double(op.shape.heads);
  row.log_base = std::log(seconds);
  const double waves = base.tasks / double(gpu.sm_count);
  row.add(bytes_per_element(op.compute));
  row.add(bytes_per_element(op.kv_cache));
  row.add_log2(seconds);
  row.add_log2(base.flop / gpu.tensor_rate(tensor_rate_per_clock(gpu, op.compute)).value() / seconds);
  row.add_log2(base.memory / seconds);
  row.add_log2(base.compute / seconds);
  row.add_log2(heads);
  row.add_log2(base.requests);
  row.add_log2(std::max(2 * base.pairs / base.queries - 1, 1.0));
  row.add_log2(base.queries);
  row.add(std::min(waves, kMostWaves));
  row.add_part(wave_fill(waves));
  row.add_log2(base.flop);
  row.add_log2(base.bytes / gpu.l2_capacity.value());
  row.add_log2(base.iterations);
  row.add_log2(base.requests * heads);
  row.add_log2(base.keys);
  row.add_log2(base.keys * heads);
  row.add_log2(base.requests / double(gpu.sm_count));
  row.add_log2(double(op.shape.kv_lora_rank));
  row.add(int(op.projections));
  row.add(op.decode ? 1 : 0);
  row.add_log2(double(op.hidden));
  row.add_log2(base.weights);
  row.add_log2(base.projections / std::exp(row.log_base));
}

constexpr std::array kSources{feature_source<MlaModule, add_mla_module>()};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kMlaModuleFeatures = features::kSources;
}  // namespace warploom
