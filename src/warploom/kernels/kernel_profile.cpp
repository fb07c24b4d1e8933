#include "warploom/kernels/kernel_profile.h"

#include <algorithm>
#include <cmath>

#include "warploom/kernels/precision_support.h"

namespace warploom {
namespace {

// Everything a profile of one operator is made of.
struct Builder {
  const GpuSpec& gpu;
  const KernelContext& context;
  const StructuralParameters& parameters;
  const RoutingCache* routing;
  KernelSequence sequence;
  KernelProfile profile;
  double network_bandwidth = 0;
  double structural = 0;

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

  template <class Op>
  void build(const Op& op) {
    if constexpr (requires { op.requests; }) {
      add_attention(view_of(op));
    } else {
      profile.work = work_of(op);
      add_streaming_grid(sequence, profile.work, "stream");
      TaskGrid& grid = sequence.kernels[0];
      if (profile.work.matrix_flop.value() > 0) {
        grid.tensor_rate = gpu.tensor_rates.fp16 > 0 ? gpu.tensor_rates.fp16 : 2 * gpu.fma_lanes;
        grid.per_task.tensor_flop = profile.work.matrix_flop.value() / grid.tasks();
      }
      structural = streaming_structural_time(profile.work, gpu, parameters.streaming).value();
    }
  }
};

// s per kernel of a CUDA graph, and of a collective; plain round figures, so that the roofline stays a
// baseline.
constexpr double kKernelLaunch = 2e-6;
constexpr double kCollectiveLaunch = 4e-6;

double launch_floor(Family family, double launches) {
  return launches * (family >= Family::AllReduce ? kCollectiveLaunch : kKernelLaunch);
}

// Adds a kernel to the profile; returns its roofline time. Compute stretches by the busiest SM, memory does
// not.
double add_kernel(KernelProfile& profile, const TaskGrid& grid, const GpuSpec& gpu, double network_bandwidth,
                  double& longest) {
  const PipelineTimes times = pipeline_times(grid.demand(), gpu, grid.tensor_rate, network_bandwidth);
  profile.t_tensor += times.tensor;
  profile.t_fma += times.fma;
  profile.t_special += times.special;
  profile.t_shared += times.shared;
  profile.t_l2 += times.l2;
  profile.t_dram += times.dram;
  profile.t_network += times.network;
  const TileSchedule schedule = schedule_grid(grid, double(gpu.sm_count), 0);
  const double roofline = std::max(times.compute() * schedule.balance(), times.memory());
  if (roofline >= longest) {
    longest = roofline;
    profile.tasks = grid.tasks();
    profile.steps = grid.total_steps() / std::max(1.0, grid.tasks());
    profile.longest_steps = grid.longest_steps();
    profile.occupancy = grid.occupancy;
    profile.waves = grid.tasks() / (double(gpu.sm_count) * grid.occupancy);
    profile.sm_waves = schedule.waves;
    profile.wave_fill = schedule.wave_fill;
    profile.balance = schedule.balance();
    profile.unit_rate = grid.tensor_rate;
    profile.limited_by = times.bound();
  }
  return roofline;
}

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

Builder built(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
              const StructuralParameters& parameters, const RoutingCache* routing) {
  Builder builder{.gpu = gpu,
                  .context = context,
                  .parameters = parameters,
                  .routing = routing,
                  .sequence = {},
                  .profile = {}};
  std::visit([&builder](const auto& alternative) { builder.build(alternative); }, op);
  return builder;
}

}  // namespace

KernelSequence kernel_sequence(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                               const ProfileSources& sources) {
  const StructuralParameters typical = default_parameters(gpu);
  const StructuralParameters& parameters = sources.parameters != nullptr ? *sources.parameters : typical;
  return built(op, gpu, context, parameters, sources.routing).sequence;
}

KernelProfile profile(const Operator& op, const GpuSpec& gpu, const KernelContext& context,
                      const ProfileSources& sources) {
  const StructuralParameters typical = default_parameters(gpu);
  const StructuralParameters& parameters = sources.parameters != nullptr ? *sources.parameters : typical;
  Builder builder = built(op, gpu, context, parameters, sources.routing);
  KernelProfile& result = builder.profile;
  result.family = family_of(op);
  const bool has_work = result.family >= Family::Moe && !std::holds_alternative<MlaModule>(op);
  if (!has_work) result.work = work_of(op);
  result.launches = result.work.launches;
  result.t_launch = launch_floor(result.family, result.launches);
  double longest = -1, kernels = 0;
  for (std::size_t i = 0; i < builder.sequence.size; ++i) {
    kernels += add_kernel(result, builder.sequence.kernels[i], gpu, builder.network_bandwidth, longest);
  }
  result.resident_share = weight_residency(op, result.work, gpu, parameters);
  result.demand = builder.sequence.demand();
  const double executed = result.demand.tensor_flop;
  const double useful = result.work.matrix_flop.value();
  if (useful > 0 && executed > 0) result.padding = executed / useful;
  if (useful > 0 && result.unit_rate > 0)
    result.t_useful = useful / (result.unit_rate * gpu.sm_cycles_per_second());
  const PhysicalBound bound = physical_bound(op, gpu, result.work);
  result.physical_bound = bound.time.value();
  result.bound = bound.bound;
  result.roofline = std::max(result.physical_bound, result.t_launch + kernels);
  if (result.t_launch > kernels) result.limited_by = Bound::Launch;
  result.structural = std::max(result.physical_bound, builder.structural);
  return result;
}

}  // namespace warploom
