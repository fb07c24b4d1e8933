// Softmax attention over ragged batches, plain, grouped or latent: the base of the kernel that the hints
// mean, and its parts as ratios to it.
#include "warploom/kernels/attention/kernel_attention_base.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

constexpr double kKeysPerIteration = 128;
constexpr double kMostWaves = 64;

void add_base(const AttentionBase& base, const AttentionTiling& tiling, const GpuSpec& gpu,
              OperatorFeatures& row) {
  const double waves = base.tasks / double(gpu.sm_count);
  row.log_base = std::log(base.seconds);
  row.add(double(tiling.kernel));
  row.add(double(tiling.design));
  row.add(double(tiling.query_rows));
  row.add_log2(base.seconds);
  row.add_log2(base.compute / base.seconds);
  row.add_log2(base.memory / base.seconds);
  row.add_log2(base.launch / base.seconds);
  row.add_log2(base.write / base.seconds + 1e-6);
  row.add_log2(base.longest / base.compute);
  row.add_log2(base.steps);
  row.add_log2(base.splits);
  row.add(std::min(waves, kMostWaves));
  row.add_part(wave_fill(waves));
  row.add(base.resident);
}

void add_shape(const AttentionView& view, const GpuSpec& gpu, double seconds, OperatorFeatures& row) {
  const AttentionTotals totals = attention_totals(view);
  const double heads = double(view.heads()), kv_heads = double(view.kv_heads);
  const double width = double(view.key_dim + view.value_dim), requests = totals.requests;
  const double flop = 2 * heads * width * totals.pairs;
  const double kv_bytes = totals.keys * view.cache_width() * bytes_per_element(view.kv_cache);
  const double query_bytes = totals.queries * heads * width * 2;
  const double keys = totals.keys / requests;
  row.add(bytes_per_element(view.compute));
  row.add(bytes_per_element(view.kv_cache));
  row.add_log2(flop / gpu.tensor_rate(tensor_rate_per_clock(gpu, view.compute)).value() / seconds);
  row.add_log2((kv_bytes + query_bytes) / gpu.memory_bandwidth.value() / seconds);
  row.add_log2(heads * totals.pairs /
               (std::max(gpu.special_function_lanes, 1.0) * gpu.sm_cycles_per_second()) / seconds);
  row.add_log2(kv_bytes / gpu.l2_capacity.value());
  row.add_log2(requests);
  row.add_log2(heads);
  row.add_log2(kv_heads);
  row.add_log2(double(view.group));
  row.add(double(view.key_dim));
  row.add(double(view.window));
  // Length of a causal square with this mean depth.
  row.add_log2(std::max(2 * totals.pairs / totals.queries - 1, 1.0));
  row.add_log2(keys);
  row.add_log2(view.window > 0 ? std::min(keys / double(view.window), 4.0) : 1e-12);
  row.add_log2(requests * heads);
  row.add_log2(requests * kv_heads);
  row.add_part(keys / kKeysPerIteration - std::floor(keys / kKeysPerIteration));
  row.add_log2(requests * kv_heads / double(gpu.sm_count));
  row.add_log2(requests * keys);
  row.add_log2(totals.queries);
  row.add_log2(flop);
  row.add(view.causal ? 1 : 0);
}

void add_attention(const AttentionView& view, const GpuSpec& gpu, const KernelHints& hints, KnownKernel known,
                   const BaseConstants& fitted, OperatorFeatures& row) {
  const AttentionTiling tiling = attention_tiling(view, gpu, hints);
  const AttentionBase base = attention_base(view, tiling, hints, known, gpu, fitted);
  add_base(base, tiling, gpu, row);
  add_shape(view, gpu, base.seconds, row);
  if (hints.cold_operands && base.cold_seconds > 0) row.cold = base.cold_seconds - base.seconds;
}

template <class Op>
void add_plain(const Op& op, const FeatureInput& input, OperatorFeatures& row) {
  add_attention(view_of(op), input.gpu, input.kernel.hints, input.kernel.known, input.fitted, row);
}

template <class Op>
void add_latent(const Op& op, const FeatureInput& input, OperatorFeatures& row) {
  add_attention(view_of(op), input.gpu, input.kernel.hints, KnownKernel::None, input.fitted, row);
}

constexpr std::array kSources{feature_source<AttentionPrefill, add_plain<AttentionPrefill>>({.trees = 240}),
                              feature_source<AttentionDecode, add_plain<AttentionDecode>>({.trees = 240}),
                              feature_source<MlaPrefill, add_latent<MlaPrefill>>(),
                              feature_source<MlaDecode, add_latent<MlaDecode>>()};

}  // namespace
}  // namespace warploom::features

namespace warploom {
constinit const std::span<const FeatureSource> kAttentionFeatures = features::kSources;
}  // namespace warploom
