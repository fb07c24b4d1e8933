// The block-scaled fp8 product on Hopper: the base of kernels/gemm/block_scaled_hopper.h and its parts.
#include "warploom/kernels/gemm/block_scaled_hopper.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {

void add_gemm_fp8_hopper(const Gemm& op, const GpuSpec& gpu, const BaseConstants& fitted,
                         OperatorFeatures& row) {
  const BlockScaledHopperBase s = block_scaled_hopper_base(op, gpu, fitted);
  const double base = s.seconds, l2 = gpu.l2_capacity.value();
  row.log_base = std::log(base);
  row.add_log2(double(op.m * op.batch));
  row.add_log2(double(op.n));
  row.add_log2(double(op.k));
  row.add(std::min(s.row_tiles, 64.0));
  row.add(s.column_pairs);
  row.add(s.steps);
  row.add_log2(s.waves);
  row.add_part(wave_fill(s.rounds));
  row.add_part(s.busy);
  row.add_log2(s.compute / base);
  row.add_log2(s.memory / base);
  row.add(s.launch / base);
  row.add_part(double((op.m - 1) % kBlockScaledTile + 1));
  row.add_part(double(op.n % kBlockScaledClusterColumns));
  row.add_log2(s.feed / s.step);
  row.add_log2((s.inputs + s.weights + s.outputs) / l2);
  row.add_log2(s.weights / l2);
  row.add_log2(s.rounds);
  row.add_log2(s.math / s.step);
}

}  // namespace warploom::features
