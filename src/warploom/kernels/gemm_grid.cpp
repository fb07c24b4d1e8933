#include <algorithm>
#include <cmath>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/precision_support.h"
#include "warploom/kernels/task_grid.h"

namespace warploom {
namespace {

constexpr double kStep = 64;   // inner length of one step
constexpr double kStages = 4;  // buffered steps
// Neighbouring tiles of a wave ask for the same operand at the same time: clusters multicast it (Hopper and
// later), the coalescer between SMs and L2 merges the requests before (Ampere and later).
constexpr double kSharers = 2;
// Shared memory: written once, read once by the matrix instructions of two warp groups that share the
// smaller operand.
constexpr double kSharedPasses = 2.5;

// The blocks of a tiled product; unique bytes of DRAM are given, L2 and shared traffic follow from the tiles.
void fill_tiled_grid(TaskGrid& grid, const TiledProduct& product, const MatrixUnit& unit, const GpuSpec& gpu,
                     const GemmTiling& tiling, double dram_bytes) {
  const double bm = double(tiling.tile_m), bn = double(tiling.tile_n), tasks = tiling.tasks();
  const double operands = (bm * product.activation_bytes + bn * product.weight_bytes) * kStep;
  const double flop = 2 * bm * bn * kStep;
  (unit.tensor ? grid.per_step.tensor_flop : grid.per_step.fma_flop) = flop;
  const double shared = std::max(bm * product.activation_bytes, bn * product.weight_bytes) * kStep;
  const bool neighbours = lineage_of(architecture_class(gpu)) == Lineage::SinceAmpere && tasks >= kSharers;
  grid.per_step.l2_bytes = neighbours ? operands - shared * (1 - 1 / kSharers) : operands;
  grid.per_step.shared_bytes = kSharedPasses * operands;
  grid.per_task.l2_bytes =
      bm * bn * product.output_bytes * (tiling.splits > 1 ? 4 / product.output_bytes : 1);
  grid.per_task.dram_bytes = dram_bytes / std::max(1.0, tasks);
  grid.tensor_rate = unit.flop_per_clock_per_sm;
  grid.occupancy = std::clamp(std::floor(gpu.shared_memory_per_sm.value() / (kStages * operands)), 1.0, 4.0);
  const double steps = std::ceil(std::ceil(product.k / kStep) / double(tiling.splits));
  grid.add({.tasks = tasks, .mean_steps = steps, .least_steps = steps, .most_steps = steps});
}

TiledProduct expert_product(const FusedMoe& op, const RoutingLoad& load, const MatrixUnit& unit, double n,
                            double k) {
  TiledProduct product;
  product.row_tiles = load.row_tiles;
  product.n = n;
  product.k = k;
  product.rows = load.pairs;
  product.activation_bytes = unit.weight_only ? 2.0 : bytes_per_element(activation_type(op.scheme));
  product.weight_bytes = bytes_per_element(weight_type(op.scheme));
  return product;
}

}  // namespace

void add_gemm_grid(KernelSequence& sequence, const Gemm& op, const GpuSpec& gpu, const GemmTiling& tiling,
                   std::string_view kernel, bool with_quantising) {
  const Work work = gemm_work(op);
  if (with_quantising && work.scratch_bytes.value() > 0) {
    const double elements = double(op.m) * double(op.k) * double(op.batch);
    Work pass;
    pass.input_bytes = work.input_bytes;
    pass.output_bytes = work.scratch_bytes;
    pass.fma_flop = Flop(4 * elements);
    add_streaming_grid(sequence, pass, "quantise");
  }
  const double activations =
      work.scratch_bytes.value() > 0 ? work.scratch_bytes.value() : work.input_bytes.value();
  TaskGrid& grid = sequence.next();
  grid.kernel = kernel;
  fill_tiled_grid(grid, tiled_product(op, gpu), matrix_unit(op.scheme, gpu), gpu, tiling,
                  work.weight_bytes.value() + activations + work.output_bytes.value());
}

void add_moe_grids(KernelSequence& sequence, const FusedMoe& op, const RoutingLoad& load, const GpuSpec& gpu,
                   const GemmTiling& gate_up, const GemmTiling& down) {
  const Work work = moe_work(op, load);
  const MoeWidths widths = moe_widths(op);
  const MatrixUnit unit = matrix_unit(op.scheme, gpu);
  const double hidden = double(op.hidden), both = widths.gate_up + widths.intermediate;
  const auto weights = [&](double width) { return work.weight_bytes.value() * width / both; };
  if (op.pass == MoePass::Both) {
    Work glue;
    glue.input_bytes = work.input_bytes + work.scratch_bytes;
    glue.output_bytes = work.output_bytes;
    glue.fma_flop = work.fma_flop;
    glue.special_ops = work.special_ops;
    add_streaming_grid(sequence, glue, "route, activate and sum");
  }
  if (widths.gate_up > 0) {
    TaskGrid& grid = sequence.next();
    grid.kernel = "gate and up";
    fill_tiled_grid(grid, expert_product(op, load, unit, widths.gate_up, hidden), unit, gpu, gate_up,
                    weights(widths.gate_up));
  }
  if (widths.intermediate > 0) {
    TaskGrid& grid = sequence.next();
    grid.kernel = "down";
    fill_tiled_grid(grid, expert_product(op, load, unit, hidden, widths.intermediate), unit, gpu, down,
                    weights(widths.intermediate));
  }
}

}  // namespace warploom
