#include "warploom/kernels/bound_limit.h"

#include <algorithm>

namespace warploom {
namespace {

constexpr double kEmulatedExponentials = 0.5;  // share that polynomials on FMA lanes can take over

double headroom_cycles(const GpuSpec& gpu) { return gpu.sm_cycles_per_second() * gpu.clock_headroom(); }

}  // namespace

double seconds_at_peak(double flop, double rate, const GpuSpec& gpu) {
  return flop / (rate * headroom_cycles(gpu));
}

double fastest_product_seconds(const Gemm& op, const GpuSpec& gpu) {
  return seconds_at_peak(gemm_work(op).matrix_flop.value(), matrix_unit(op.scheme, gpu).flop_per_clock_per_sm,
                         gpu);
}

double fastest_attention_seconds(const AttentionView& view, const GpuSpec& gpu) {
  return seconds_at_peak(attention_work(view).matrix_flop.value(),
                         fastest_attention_rate(view.compute, view.kv_cache, gpu), gpu);
}

void raise_products(BoundLimit& limit, MatmulScheme scheme, double flop, const GpuSpec& gpu) {
  const MatrixUnit unit = matrix_unit(scheme, gpu);
  limit.raise(seconds_at_peak(flop, unit.flop_per_clock_per_sm, gpu),
              unit.tensor ? Bound::Tensor : Bound::Fma);
}

void raise_attention(BoundLimit& limit, const AttentionView& view, const GpuSpec& gpu) {
  const Work work = attention_work(view);
  const double rate = fastest_attention_rate(view.compute, view.kv_cache, gpu);
  limit.raise(seconds_at_peak(work.matrix_flop.value(), rate, gpu), Bound::Tensor);
  limit.raise(
      (1 - kEmulatedExponentials) * work.special_ops / (gpu.special_function_lanes * headroom_cycles(gpu)),
      Bound::SpecialFunction);
}

double bytes_beyond(double bytes, double capacity) { return std::max(0.0, bytes - capacity); }

double forced_bytes(double touched, double cold, const GpuSpec& gpu) {
  return cold + bytes_beyond(touched - cold, gpu.l2_capacity.value());
}

double cold_cache_bytes(const AttentionView& view, const Work& work) {
  const AttentionTotals totals = attention_totals(view);
  return work.cache_bytes.value() * std::max(0.0, 1 - totals.queries / totals.keys);
}

}  // namespace warploom
