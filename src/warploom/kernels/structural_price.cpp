#include "warploom/kernels/structural_price.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/attention/kernel_attention_base.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {

double StructuralPrice::sum_of_parts() const {
  const bool both = compute > 0 && memory > 0;
  return launch + passes + network + (both ? power_sum(compute, memory, overlap) : std::max(compute, memory));
}

StructuralPrice structural_price(const Gemm& op, const GpuSpec& gpu, const GemmModel& model) {
  GemmPrice price;
  model.price(op, price);
  const GemmTileShape tile = gemm_tile_shape(price.tile);
  const double rows = std::ceil(double(op.m) / double(tile.rows));
  const double columns = std::ceil(double(op.n) / double(tile.columns));
  const double tasks = rows * columns * double(op.batch) * double(price.splits);
  return {.seconds = price.seconds,
          .launch = price.launch_seconds,
          .passes = price.quantise_seconds,
          .compute = price.tile_seconds,
          .memory = price.memory_seconds,
          .overlap = model.overlap(),
          .balance = model.balance(op, price),
          .tile_rows = double(tile.rows),
          .tile_columns = double(tile.columns),
          .splits = double(price.splits),
          .tasks = tasks,
          .waves = tasks / double(gpu.sm_count),
          .resident = 1 - price.cold_share};
}

StructuralPrice attention_price(const AttentionView& view, KnownKernel known, const GpuSpec& gpu,
                                const KernelHints& hints, const BaseConstants& fitted) {
  const AttentionTiling tiling = attention_tiling(view, gpu, hints);
  AttentionBase base = attention_base(view, tiling, hints, known, gpu, fitted);
  if (hints.cold_operands && base.cold_seconds > 0) {
    base.seconds = base.cold_seconds;
    base.memory = base.cold_memory;
    base.resident = 0;
  }
  return {.seconds = base.seconds,
          .launch = base.launch,
          .passes = base.write,
          .compute = base.compute,
          .memory = base.memory,
          .overlap = base.overlap,
          .balance = base.balance,
          .tile_rows = double(tiling.query_rows),
          .tile_columns = double(tiling.keys),
          .splits = base.splits,
          .tasks = base.tasks,
          .waves = base.tasks / double(gpu.sm_count),
          .resident = base.resident};
}

StructuralPrice structural_price(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                                 const BaseConstants& fitted) {
  return family_value(op).price(op, gpu, kernel, fitted);
}

}  // namespace warploom
