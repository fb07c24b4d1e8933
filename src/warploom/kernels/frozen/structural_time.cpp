#include "warploom/kernels/frozen/structural_time.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/precision_support.h"

namespace warploom {
namespace {

double sm_clocks(const GpuSpec& gpu) { return gpu.boost_clock.value(); }

// Seconds for bytes of which `share` rests in L2.
double traffic_time(double bytes, double share, const GpuSpec& gpu, double dram_efficiency,
                    double warm_rate) {
  return bytes * (share / warm_rate + (1 - share) / (dram_efficiency * gpu.memory_bandwidth.value()));
}

TiledProduct grouped_product(const FusedMoe& op, const RoutingLoad& load, const GpuSpec& gpu,
                             const GemmParameters& p, double n, double k) {
  const MatrixUnit unit = matrix_unit(op.scheme, gpu);
  const bool widened = unit.weight_only || weight_type(op.scheme) != activation_type(op.scheme);
  TiledProduct product;
  product.row_tiles = load.row_tiles;
  product.n = n;
  product.k = k;
  product.rows = load.pairs;
  product.activation_bytes = unit.weight_only ? 2.0 : bytes_per_element(activation_type(op.scheme));
  product.weight_bytes = bytes_per_element(weight_type(op.scheme));
  product.rate =
      unit.flop_per_clock_per_sm *
      (!unit.tensor ? p.core_efficiency : p.tensor_efficiency * (widened ? p.weight_only_efficiency : 1.0));
  product.may_split = false;
  return product;
}

}  // namespace

Seconds attention_structural_time(const AttentionView& view, const TaskGrid& grid,
                                  const AttentionTiling& tiling, const GpuSpec& gpu,
                                  const AttentionParameters& p, bool combines) {
  const double sms = double(gpu.sm_count), clock = sm_clocks(gpu);
  const PipelineDemand& step = grid.per_step;
  const double products =
      (step.tensor_flop > 0 ? step.tensor_flop : step.fma_flop) / (grid.tensor_rate * p.tensor_efficiency);
  const double exponentials = p.exponential_share * step.special_ops / gpu.special_function_lanes;
  const double step_clocks = products + exponentials + p.step_clocks;
  const TileSchedule schedule = schedule_grid(grid, sms, 0);
  double compute = schedule.makespan * step_clocks / clock;
  if (view.decode) {
    // Blocks on one SM hide each other's latency; the longest chain does not shrink.
    const double chain = p.decode_step_time.value() * double(tiling.keys) / 128.0 * grid.longest_steps();
    const double rounds = std::max(1.0, schedule.waves / tiling.occupancy);
    compute = std::max(compute, chain * rounds);
  }
  const Work work = attention_work(view);
  const double bytes = work.unique_bytes().value();
  const double share = resident_share(bytes, gpu, p.cache_fraction, p.cache_sharpness);
  const double warm_rate = p.warm_efficiency * gpu.l2_bandwidth.value();
  const double memory = traffic_time(bytes, share, gpu, p.dram_efficiency, warm_rate);
  const double tasks_per_sm = std::max(1.0, grid.tasks() / sms);
  return p.launch_time + Seconds(p.task_clocks * tasks_per_sm / clock) +
         Seconds(power_norm(compute, memory, p.overlap_power)) + (combines ? p.combine_time : Seconds(0));
}

MoeTilings choose_moe_tilings(const FusedMoe& op, const RoutingLoad& load, const GpuSpec& gpu,
                              const MoeParameters& p) {
  const MoeWidths widths = moe_widths(op);
  MoeTilings tilings;
  const double hidden = double(op.hidden);
  if (widths.gate_up > 0) {
    tilings.gate_up =
        choose_tiling(grouped_product(op, load, gpu, p.gemm, widths.gate_up, hidden), gpu, p.gemm);
  }
  if (widths.intermediate > 0) {
    tilings.down =
        choose_tiling(grouped_product(op, load, gpu, p.gemm, hidden, widths.intermediate), gpu, p.gemm);
  }
  return tilings;
}

Seconds moe_structural_time(const FusedMoe& op, const RoutingLoad& load, const MoeTilings& tilings,
                            const GpuSpec& gpu, const MoeParameters& p) {
  const Work work = moe_work(op, load);
  const double compute = tilings.gate_up.tile_time.value() + tilings.down.tile_time.value();
  const double bytes = work.unique_bytes().value();
  const double share = resident_share(bytes, gpu, p.gemm.cache_fraction, p.gemm.cache_sharpness);
  const double warm_rate = p.gemm.warm_efficiency * gpu.l2_bandwidth.value();
  const double memory = traffic_time(bytes, share, gpu, p.dram_efficiency, warm_rate);
  const double launch = p.launch_time.value() * (op.pass == MoePass::Both ? 1.0 : 0.5);
  return Seconds(launch + power_norm(compute, memory, p.gemm.overlap_power) +
                 p.pair_time.value() * load.pairs * double(op.hidden) / 4096);
}

Seconds streaming_structural_time(const Work& work, const GpuSpec& gpu, const StreamingParameters& p) {
  const double bytes = work.unique_bytes().value();
  const double share = resident_share(bytes, gpu, p.cache_fraction, p.cache_sharpness);
  const double memory =
      traffic_time(bytes, share, gpu, p.dram_efficiency, p.l2_efficiency * gpu.l2_bandwidth.value());
  const double cycles = gpu.sm_cycles_per_second() * p.compute_efficiency;
  // Recurrent scans keep their products on the matrix unit where there is one.
  const double matrix_rate = gpu.tensor_rates.fp16 > 0 ? gpu.tensor_rates.fp16 : 2 * gpu.fma_lanes;
  const double compute = std::max({work.fma_flop.value() / (2 * gpu.fma_lanes * cycles),
                                   work.special_ops / (gpu.special_function_lanes * cycles),
                                   work.matrix_flop.value() / (matrix_rate * cycles)});
  return p.launch_time * work.launches + Seconds(std::max(memory, compute));
}

double collective_bandwidth(const Collective& op, const GpuSpec& gpu, const StreamingParameters& p) {
  const bool leaves_node = op.ranks_per_node > 0 && op.ranks_per_node < op.ranks;
  if (leaves_node) return p.node_bandwidth.value();
  const bool linked = gpu.link_bandwidth.value() > 0;
  return linked ? p.link_efficiency * gpu.link_bandwidth.value()
                : p.pcie_efficiency * std::max(1e9, gpu.pcie_bandwidth.value());
}

Seconds collective_structural_time(const Collective& op, const Work& work, const GpuSpec& gpu,
                                   const StreamingParameters& p) {
  const bool switched = gpu.link_bandwidth.value() > 0;
  const double others = double(op.ranks - 1);
  double steps = switched ? 1 : others;
  if (op.kind == CollectiveKind::AllReduce) steps = switched ? 2 : 2 * others;
  if (op.kind == CollectiveKind::SendRecv) steps = 1;
  return p.collective_launch + p.hop_time * steps +
         Seconds(work.network_bytes.value() / collective_bandwidth(op, gpu, p));
}

}  // namespace warploom
