#include "warploom/kernels/frozen/frozen_profile.h"

#include <algorithm>
#include <cmath>

#include "warploom/base/any_of.h"
#include "warploom/kernels/frozen/structural_time.h"
#include "warploom/kernels/precision_support.h"
#include "warploom/kernels/profile_parts.h"

namespace warploom {
namespace {

// Everything a profile of one operator is made of.
struct Builder {
  const GpuSpec& gpu;
  const KernelContext& context;
  const StructuralParameters& parameters;
  const RoutingCache* routing;
  ProfileParts parts{};
  KernelSequence& sequence = parts.sequence;
  KernelProfile& profile = parts.profile;
  double& network_bandwidth = parts.network_bandwidth;
  double& structural = parts.structural;

  void add_gemm(const Gemm& op, std::string_view kernel, bool with_quantising) {
    GemmTiling tiling;
    structural += gemm_structural_time(op, gpu, parameters.gemm, &tiling).value();
    add_gemm_grid(sequence, op, gpu, tiling, kernel, with_quantising);
    profile.tile_m = double(tiling.tile_m);
    profile.tile_n = double(tiling.tile_n);
    profile.splits = double(tiling.splits);
  }

  void add_attention(const AttentionView& view) {
    const AttentionTiling tiling = attention_tiling(view, gpu, kernel_hints(context));
    const std::size_t index = sequence.size;
    add_attention_grid(sequence, view, gpu, tiling);
    const AttentionParameters& constants = view.decode ? parameters.decode : parameters.prefill;
    structural += attention_structural_time(view, sequence.kernels[index], tiling, gpu, constants,
                                            sequence.size > index + 1)
                      .value();
    profile.tile_m = double(tiling.query_rows);
    profile.tile_n = double(tiling.keys);
  }

  void build(const Gemm& op) { add_gemm(op, "product", true); }

  void build(const MlaModule& op) {
    const MlaProjections projections = mla_projections(op);
    for (std::size_t i = 0; i < projections.size; ++i) add_gemm(projections.products[i], "projection", false);
    add_attention(view_of(op));
    structural += 4 * parameters.streaming.launch_time.value();
  }

  void build(const FusedMoe& op) {
    profile.routing = routing != nullptr ? routing->find(op) : routing_load(op);
    const MoeTilings tilings = choose_moe_tilings(op, profile.routing, gpu, parameters.moe);
    structural = moe_structural_time(op, profile.routing, tilings, gpu, parameters.moe).value();
    add_moe_grids(sequence, op, profile.routing, gpu, tilings.gate_up, tilings.down);
    const GemmTiling& shown = op.pass == MoePass::Down ? tilings.down : tilings.gate_up;
    profile.tile_m = double(shown.tile_m);
    profile.tile_n = double(shown.tile_n);
    profile.work = moe_work(op, profile.routing);
  }

  void build(const Collective& op) {
    profile.work = work_of(op);
    add_streaming_grid(sequence, profile.work, "collective");
    sequence.kernels[0].per_task.l2_bytes = sequence.kernels[0].per_task.dram_bytes = 0;
    network_bandwidth =
        collective_bandwidth(op, gpu, parameters.streaming) / parameters.streaming.link_efficiency;
    structural = collective_structural_time(op, profile.work, gpu, parameters.streaming).value();
  }

  template <AnyOf<AttentionPrefill, AttentionDecode, MlaPrefill, MlaDecode> Op>
  void build(const Op& op) {
    add_attention(view_of(op));
  }

  template <class Op>
  void build(const Op& op) {
    profile.work = work_of(op);
    add_streaming_grid(sequence, profile.work, "stream");
    TaskGrid& grid = sequence.kernels[0];
    if (profile.work.matrix_flop.value() > 0) {
      grid.tensor_rate = gpu.tensor_rates.fp16 > 0 ? gpu.tensor_rates.fp16 : 2 * gpu.fma_lanes;
      grid.per_task.tensor_flop = profile.work.matrix_flop.value() / grid.tasks();
    }
    structural = streaming_structural_time(profile.work, gpu, parameters.streaming).value();
  }
};

double weight_residency(const Operator& op, const Work& work, const GpuSpec& gpu,
                        const StructuralParameters& p) {
  if (const auto* gemm = std::get_if<Gemm>(&op)) {
    if (gemm->residency == Residency::Cold) return 0;
    const double set = gemm->weight_copies * work.weight_bytes.value() + work.input_bytes.value() +
                       work.output_bytes.value();
    return resident_share(set, gpu, p.gemm.cache_fraction, p.gemm.cache_sharpness);
  }
  return resident_share(work.unique_bytes().value(), gpu, p.streaming.cache_fraction,
                        p.streaming.cache_sharpness);
}

}  // namespace

KernelProfile frozen_profile(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                             const RoutingCache* routing) {
  const StructuralParameters parameters = default_parameters(gpu);
  Builder builder{.gpu = gpu, .context = context, .parameters = parameters, .routing = routing};
  std::visit([&builder](const auto& alternative) { builder.build(alternative); }, op);
  KernelProfile result = finished_profile(op, gpu, std::move(builder.parts));
  result.resident_share = weight_residency(op, result.work, gpu, parameters);
  return result;
}

}  // namespace warploom
