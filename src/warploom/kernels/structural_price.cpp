#include "warploom/kernels/structural_price.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "warploom/base/any_of.h"
#include "warploom/kernels/attention/kernel_attention_base.h"
#include "warploom/kernels/attention/mla_module_base.h"
#include "warploom/kernels/collectives/across_nodes.h"
#include "warploom/kernels/gemm/block_scaled_hopper.h"
#include "warploom/kernels/gemm/gemm_constants.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/moe/moe_base.h"
#include "warploom/kernels/rows/row_base.h"
#include "warploom/kernels/structural_terms.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

struct Pricing {
  const GpuSpec& gpu;
  const ContextKernel& kernel;
  const BaseConstants& fitted;

  StructuralPrice of(const Gemm& op) const {
    if (describes(kernel.known, op)) return of_block_scaled(op);
    return structural_price(op, gpu, GemmModel(op.scheme, gpu, gemm_constants_of(fitted)));
  }

  StructuralPrice of_block_scaled(const Gemm& op) const {
    const BlockScaledHopperBase base = block_scaled_hopper_base(op, gpu, fitted);
    return {.seconds = base.seconds,
            .launch = base.launch,
            .compute = base.compute,
            .memory = base.memory,
            .overlap = base.overlap,
            .balance = base.waves / base.rounds,
            .again = base.again,
            .tile_rows = double(kBlockScaledTile),
            .tile_columns = double(kBlockScaledTile),
            .tasks = 2 * base.row_tiles * base.column_pairs,
            .waves = base.rounds};
  }

  StructuralPrice of_attention(const AttentionView& view, KnownKernel known) const {
    const AttentionTiling tiling = attention_tiling(view, gpu, kernel.hints);
    AttentionBase base = attention_base(view, tiling, kernel.hints, known, gpu, fitted);
    if (kernel.hints.cold_operands && base.cold_seconds > 0) {
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

  StructuralPrice of(const MlaModule& op) const {
    const MlaModuleBase base = mla_module_base(op, gpu, fitted);
    return {.seconds = base.seconds,
            .launch = base.launch,
            .passes = base.projections,
            .compute = base.compute,
            .memory = base.streamed,
            .overlap = kMlaModuleOverlap,
            .balance = base.balance,
            .tasks = base.tasks,
            .waves = base.tasks / double(gpu.sm_count)};
  }

  StructuralPrice of(const FusedMoe& op) const {
    const RoutingLoad routed = kernel.routing != nullptr ? kernel.routing->find(op) : routing_load(op);
    const RankWorkload work = rank_workload(op, routed, kernel);
    const MoeBase base =
        moe_base(op, gpu, kernel.known, work, moe_sizes(op, work.load), sustained_rate_share(gpu), fitted);
    const bool cold = kernel.hints.cold_operands;
    return {.seconds = cold ? base.cold_total : base.total,
            .launch = base.launch,
            .passes = base.pairs_moved + base.choices_moved,
            .compute = base.products,
            .memory = cold ? base.cold_weights : base.weights,
            .overlap = kMoeOverlap,
            .balance = base.balance,
            .tile_rows = base.tile_rows,
            .tile_columns = base.tile_columns};
  }

  StructuralPrice of(const LinearAttention& op) const {
    const ScanBase base = scan_base(op, gpu, fitted);
    return {.seconds = base.seconds,
            .launch = base.launch,
            .compute = base.math + base.serial,
            .memory = base.stream};
  }

  StructuralPrice of(const Collective& op) const {
    if (const auto across = price_across_nodes(op, gpu))
      return {.seconds = across->time.value(),
              .launch = across->latency.value(),
              .network = across->transfer.value(),
              .network_rate = (work_of(op).network_bytes / across->least).value()};
    const CollectiveBase base = collective_base(op, gpu, fitted);
    return {.seconds = base.seconds,
            .launch = base.launch,
            .network = base.transfer,
            .network_rate = base.bandwidth};
  }

  StructuralPrice of_rows(const Operator& op) const {
    const RowBase base = row_base(op, gpu, fitted);
    const double moved = base.traffic.read + base.traffic.written;
    return {.seconds = base.seconds,
            .launch = base.launch,
            .memory = base.stream,
            .again = std::max(0.0, 1 - work_of(op).unique_bytes().value() / moved)};
  }
};

}  // namespace

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

StructuralPrice structural_price(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                                 const BaseConstants& fitted) {
  const Pricing pricing{gpu, kernel, fitted};
  return std::visit(
      [&](const auto& o) -> StructuralPrice {
        using T = std::decay_t<decltype(o)>;
        if constexpr (requires { pricing.of(o); })
          return pricing.of(o);
        else if constexpr (std::is_same_v<T, MlaPrefill> || std::is_same_v<T, MlaDecode>)
          return pricing.of_attention(view_of(o), KnownKernel::None);
        else if constexpr (requires { o.requests; })
          return pricing.of_attention(view_of(o), kernel.known);
        else {
          static_assert(
              AnyOf<T, RmsNorm, Activation, Elementwise, Rope, KvWrite, Quantize, Embedding, Sampling>);
          return pricing.of_rows(op);
        }
      },
      op);
}

}  // namespace warploom
