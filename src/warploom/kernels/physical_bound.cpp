#include "warploom/kernels/physical_bound.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/collectives/across_nodes.h"
#include "warploom/kernels/precision_support.h"

namespace warploom {
namespace {

constexpr double kShortestKernel = 0.5e-6;     // s; back-to-back graph nodes measure 1 us and more
constexpr double kEmulatedExponentials = 0.5;  // share that polynomials on FMA lanes can take over
constexpr double kMostPeersPerToken = 8;       // pairs of one token that one copy over the network can serve

struct Limit {
  double seconds = kShortestKernel;
  Bound bound = Bound::Launch;

  void raise(double time, Bound by) {
    if (time > seconds) seconds = time, bound = by;
  }
};

double headroom_cycles(const GpuSpec& gpu) { return gpu.sm_cycles_per_second() * gpu.clock_headroom(); }

void raise_products(Limit& limit, const MatrixUnit& unit, double flop, const GpuSpec& gpu) {
  limit.raise(flop / (unit.flop_per_clock_per_sm * headroom_cycles(gpu)),
              unit.tensor ? Bound::Tensor : Bound::Fma);
}

void raise_attention(Limit& limit, const AttentionView& view, const GpuSpec& gpu) {
  const Work work = attention_work(view);
  const double rate = fastest_attention_rate(view.compute, view.kv_cache, gpu);
  limit.raise(work.matrix_flop.value() / (rate * headroom_cycles(gpu)), Bound::Tensor);
  limit.raise(
      (1 - kEmulatedExponentials) * work.special_ops / (gpu.special_function_lanes * headroom_cycles(gpu)),
      Bound::SpecialFunction);
}

void raise_module(Limit& limit, const MlaModule& op, const GpuSpec& gpu) {
  const MlaProjections projections = mla_projections(op);
  double seconds = 0;
  for (std::size_t i = 0; i < projections.size; ++i) {
    const Gemm& gemm = projections.products[i];
    seconds += gemm_work(gemm).matrix_flop.value() /
               (matrix_unit(gemm.scheme, gpu).flop_per_clock_per_sm * headroom_cycles(gpu));
  }
  const AttentionView view = view_of(op);
  seconds += attention_work(view).matrix_flop.value() /
             (fastest_attention_rate(view.compute, view.kv_cache, gpu) * headroom_cycles(gpu));
  limit.raise(seconds, Bound::Tensor);
}

void raise_collective(Limit& limit, const Collective& op, const GpuSpec& gpu) {
  const double size = op.size.value(), others = double(op.ranks - 1) / double(op.ranks);
  double moved = size * others;
  if (op.kind == CollectiveKind::AllReduce || op.kind == CollectiveKind::SendRecv) moved = size;
  if (op.kind == CollectiveKind::Dispatch || op.kind == CollectiveKind::Combine) {
    moved = size * others / kMostPeersPerToken;
  }
  const double bandwidth =
      gpu.link_bandwidth.value() > 0 ? gpu.link_bandwidth.value() : gpu.pcie_bandwidth.value();
  if (bandwidth > 0) limit.raise(moved / bandwidth, Bound::Network);
  if (const auto across = price_across_nodes(op, gpu)) limit.raise(across->least.value(), Bound::Network);
}

// Bytes of experts and caches that lie in memory when nothing else kept them in L2.
double cold_bytes(const Operator& op, const Work& work) {
  if (std::holds_alternative<FusedMoe>(op)) return work.least_weight_bytes.value();
  if (!std::holds_alternative<AttentionDecode>(op) && !std::holds_alternative<MlaDecode>(op)) return 0;
  const AttentionTotals totals = attention_totals(*attention_view(op));
  return work.cache_bytes.value() * std::max(0.0, 1 - totals.queries / totals.keys);
}

}  // namespace

Bytes forced_dram_bytes(const Operator& op, const GpuSpec& gpu, const Work& work, Residency operands) {
  const double l2 = gpu.l2_capacity.value();
  const auto beyond = [](double bytes, double capacity) { return std::max(0.0, bytes - capacity); };
  if (const auto* gemm = std::get_if<Gemm>(&op)) {
    const double weights = work.weight_bytes.value();
    const double activations = work.input_bytes.value() + work.output_bytes.value();
    if (gemm->residency == Residency::Cold) return Bytes(weights + beyond(activations, l2));
    if (gemm->weight_copies <= 1) return Bytes(beyond(weights + activations, l2));
    return Bytes(beyond(weights, l2 / gemm->weight_copies) + beyond(activations, l2));
  }
  Bytes touched = work.unique_bytes();
  if (std::holds_alternative<FusedMoe>(op)) touched += work.least_weight_bytes - work.weight_bytes;
  const double cold = operands == Residency::Cold ? cold_bytes(op, work) : 0;
  return Bytes(cold + beyond(touched.value() - cold, l2));
}

PhysicalBound physical_bound(const Operator& op, const GpuSpec& gpu, const Work& work, Residency operands) {
  Limit limit;
  if (const auto* collective = std::get_if<Collective>(&op)) {
    raise_collective(limit, *collective, gpu);
    return {Seconds(limit.seconds), limit.bound};
  }
  if (const auto* gemm = std::get_if<Gemm>(&op)) {
    raise_products(limit, matrix_unit(gemm->scheme, gpu), work.matrix_flop.value(), gpu);
  } else if (const auto* moe = std::get_if<FusedMoe>(&op)) {
    raise_products(limit, matrix_unit(moe->scheme, gpu), work.matrix_flop.value(), gpu);
  } else if (const auto* module = std::get_if<MlaModule>(&op)) {
    raise_module(limit, *module, gpu);
  } else if (const auto view = attention_view(op)) {
    raise_attention(limit, *view, gpu);
  }
  limit.raise((forced_dram_bytes(op, gpu, work, operands) / gpu.memory_bandwidth).value(), Bound::Dram);
  return {Seconds(limit.seconds), limit.bound};
}

PhysicalBound physical_bound(const Operator& op, const GpuSpec& gpu, const RoutingCache* routing) {
  return physical_bound(op, gpu, work_of(op, routing));
}

PhysicalBound physical_bound(const Operator& op, const GpuSpec& gpu, const RoutingLoad& load,
                             Residency operands) {
  return physical_bound(op, gpu, work_of(op, load), operands);
}

}  // namespace warploom
