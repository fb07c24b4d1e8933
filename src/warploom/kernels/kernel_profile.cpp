#include "warploom/kernels/kernel_profile.h"

#include <algorithm>
#include <cmath>

#include "warploom/base/any_of.h"
#include "warploom/kernels/attention/attention_tiling.h"
#include "warploom/kernels/precision_support.h"
#include "warploom/kernels/profile_parts.h"

namespace warploom {
namespace {

std::int64_t whole(double side) { return std::max<std::int64_t>(1, std::int64_t(side)); }

GemmTiling tiling_of(const Gemm& op, const StructuralPrice& price) {
  GemmTiling tiling{
      .tile_m = whole(price.tile_rows), .tile_n = whole(price.tile_columns), .splits = whole(price.splits)};
  tiling.row_tiles = std::ceil(double(op.m) / price.tile_rows) * double(op.batch);
  tiling.column_tiles = std::ceil(double(op.n) / price.tile_columns);
  return tiling;
}

// Tiles down over all experts, of a height that kernels have.
double row_tiles_of(const RoutingLoad& load, double height) {
  constexpr double kBetween = 48;  // Marlin's, in no table of powers of two
  if (height == kBetween) return load.row_tiles_48;
  const auto* at = std::find(kRowBlocks.begin(), kRowBlocks.end(), std::int64_t(height));
  return load.row_tiles[std::size_t(at == kRowBlocks.end() ? 0 : at - kRowBlocks.begin())];
}

GemmTiling expert_tiling(const RoutingLoad& load, const StructuralPrice& price, double columns) {
  return {.tile_m = whole(price.tile_rows),
          .tile_n = whole(price.tile_columns),
          .row_tiles = row_tiles_of(load, price.tile_rows),
          .column_tiles = std::ceil(columns / price.tile_columns)};
}

// The kernels of a call with the tiles that the structural model gives them.
struct Builder {
  const GpuSpec& gpu;
  const ContextKernel& kernel;
  const StructuralPrice& price;
  ProfileParts parts{};

  void show_tile() {
    parts.profile.tile_m = price.tile_rows;
    parts.profile.tile_n = price.tile_columns;
    parts.profile.splits = price.splits;
  }

  void build(const Gemm& op) {
    add_gemm_grid(parts.sequence, op, gpu, tiling_of(op, price), "product", true);
  }

  void build(const MlaModule& op) {
    const MlaProjections projections = mla_projections(op);
    for (std::size_t i = 0; i < projections.size; ++i) {
      const Gemm& product = projections.products[i];
      const StructuralPrice of_product = structural_price(product, gpu, GemmModel(product.scheme, gpu));
      add_gemm_grid(parts.sequence, product, gpu, tiling_of(product, of_product), "projection", false);
    }
    const AttentionView view = view_of(op);
    const AttentionTiling tiling = attention_tiling(view, gpu, kernel.hints);
    add_attention_grid(parts.sequence, view, gpu, tiling);
    parts.profile.tile_m = double(tiling.query_rows);
    parts.profile.tile_n = double(tiling.keys);
  }

  void build(const FusedMoe& op) {
    RoutingLoad& load = parts.profile.routing;
    load = kernel.routing != nullptr ? kernel.routing->find(op) : routing_load(op);
    const MoeWidths widths = moe_widths(op);
    add_moe_grids(parts.sequence, op, load, gpu, expert_tiling(load, price, widths.gate_up),
                  expert_tiling(load, price, double(op.hidden)));
    parts.profile.work = moe_work(op, load);
  }

  void build(const Collective& op) {
    parts.profile.work = work_of(op);
    add_streaming_grid(parts.sequence, parts.profile.work, "collective");
    TaskGrid& grid = parts.sequence.kernels[0];
    grid.per_task.l2_bytes = grid.per_task.dram_bytes = 0;
    parts.network_bandwidth = price.network_rate;
  }

  template <AnyOf<AttentionPrefill, AttentionDecode, MlaPrefill, MlaDecode> Op>
  void build(const Op& op) {
    const AttentionView view = view_of(op);
    add_attention_grid(parts.sequence, view, gpu, attention_tiling(view, gpu, kernel.hints), price.splits);
  }

  template <
      AnyOf<RmsNorm, Activation, Elementwise, Rope, KvWrite, Quantize, Embedding, Sampling, LinearAttention>
          Op>
  void build(const Op& op) {
    parts.profile.work = work_of(op);
    add_streaming_grid(parts.sequence, parts.profile.work, "stream");
    TaskGrid& grid = parts.sequence.kernels[0];
    if (parts.profile.work.matrix_flop.value() > 0) {
      grid.tensor_rate = gpu.tensor_rates.fp16 > 0 ? gpu.tensor_rates.fp16 : 2 * gpu.fma_lanes;
      grid.per_task.tensor_flop = parts.profile.work.matrix_flop.value() / grid.tasks();
    }
  }
};

struct Priced {
  ContextKernel kernel;
  StructuralPrice price;
};

Priced priced(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
              const ProfileSources& sources) {
  Priced result{ContextKernel(context).asked_as(context.as_collected), {}};
  result.kernel.routing = sources.routing;
  const BaseConstants& constants =
      sources.constants != nullptr ? *sources.constants : default_constants(family_of(op));
  result.price = structural_price(op, gpu, result.kernel, constants);
  return result;
}

Builder built(const Operator& op, const GpuSpec& gpu, const Priced& priced) {
  Builder builder{.gpu = gpu, .kernel = priced.kernel, .price = priced.price};
  builder.show_tile();
  std::visit([&builder](const auto& alternative) { builder.build(alternative); }, op);
  return builder;
}

}  // namespace

KernelSequence kernel_sequence(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                               const ProfileSources& sources) {
  const Priced structure = priced(op, gpu, context, sources);
  return built(op, gpu, structure).parts.sequence;
}

KernelProfile profile(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                      const ProfileSources& sources) {
  const Priced structure = priced(op, gpu, context, sources);
  Builder builder = built(op, gpu, structure);
  builder.parts.structural = structure.price.seconds;
  KernelProfile result = finished_profile(op, gpu, std::move(builder.parts));
  result.price = structure.price;
  result.t_launch = structure.price.launch;
  result.resident_share = structure.price.resident;
  return result;
}

}  // namespace warploom
