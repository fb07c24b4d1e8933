// The block of DeepSeek sparse attention: the parts of its base (kernels/operator/dsa.h) as ratios to it,
// and the sizes.
#include "warploom/kernels/operator/dsa.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

constexpr double kMostWaves = 64;

void add_dsa(const Dsa& op, const FeatureInput& input, OperatorFeatures& row) {
  const GpuSpec& gpu = input.gpu;
  const DsaParts parts = dsa_parts(op, gpu, input.fitted);
  const double seconds = parts.seconds, heads = double(op.shape.heads);
  const double waves = parts.tasks / double(gpu.sm_count);
  row.log_base = std::log(seconds);
  row.add_log2(seconds);
  row.add_log2(parts.launch / seconds);
  row.add_log2(parts.projections / seconds);
  row.add_log2(parts.scores / seconds + 1e-6);
  row.add_log2(parts.choice / seconds + 1e-6);
  row.add_log2(parts.compute / seconds);
  row.add_log2(parts.memory / seconds);
  row.add_log2(parts.queries);
  row.add_log2(parts.requests);
  row.add_log2(parts.queries / parts.requests);
  row.add_log2(heads);
  row.add_log2(parts.queries * heads);
  row.add_log2(parts.longest_keys);
  row.add_log2(parts.seen / parts.queries);
  row.add_log2(parts.chosen / parts.queries);
  row.add_log2(parts.seen);
  row.add_log2(parts.chosen);
  row.add_log2(parts.keys);
  row.add_log2(parts.flop);
  row.add_log2(parts.product_flop);
  row.add(std::min(waves, kMostWaves));
  row.add_part(wave_fill(waves));
  row.add_log2(parts.gathered_bytes / gpu.l2_capacity.value());
  row.add_log2(parts.score_bytes / gpu.l2_capacity.value() + 1e-9);
  row.add_log2(double(op.hidden));
  row.add_log2(double(op.shape.nope_head_dim + op.shape.value_head_dim));
  row.add(bytes_per_element(op.kv_cache));
  row.add(int(op.projections));
  row.add(op.decode ? 1 : 0);
  row.add(op.indexer ? 1 : 0);
}

// So many kernels and kinds were measured that each gets few: all families together stay below 20 MB.
constexpr std::array kSources{feature_source<Dsa, add_dsa>({.trees = 26, .depth = 6, .eta = 0.3})};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kDsaFeatures = features::kSources;
}  // namespace warploom
