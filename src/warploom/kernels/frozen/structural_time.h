// Structural times of the families besides dense products: what the kernels do, with a few constants.
#pragma once

#include "warploom/kernels/attention/attention_tiling.h"
#include "warploom/kernels/frozen/gemm_tile_model.h"
#include "warploom/kernels/frozen/structural_parameters.h"
#include "warploom/kernels/task_grid.h"
#include "warploom/kernels/tile_schedule.h"

namespace warploom {

// T = launch + task clocks * tasks per SM + (compute^p + memory^p)^(1/p) (+ combine when keys are split)
//   prefill: compute = makespan in steps * (tensor clocks + share of exponential clocks + step clocks)
//   decode:  compute = longest chain of steps * latency of a step, or tensor clocks where they are longer
//   memory:  cache and activations, from L2 by their resident share, else from DRAM.
// `grid` is the attention grid of the same view and tiling.
Seconds attention_structural_time(const AttentionView& view, const TaskGrid& grid,
                                  const AttentionTiling& tiling, const GpuSpec& gpu,
                                  const AttentionParameters& parameters, bool combines);

struct MoeTilings {
  GemmTiling gate_up, down;
};
// Tilings of the two grouped products under padding per expert.
MoeTilings choose_moe_tilings(const FusedMoe& op, const RoutingLoad& load, const GpuSpec& gpu,
                              const MoeParameters& parameters);
// T = launch + (compute^p + memory^p)^(1/p) + pairs * pair time * hidden / 4,096 (passes apart: half the
// launch).
Seconds moe_structural_time(const FusedMoe& op, const RoutingLoad& load, const MoeTilings& tilings,
                            const GpuSpec& gpu, const MoeParameters& parameters);

// T = launches * launch + max(bytes by residency, arithmetic).
Seconds streaming_structural_time(const Work& work, const GpuSpec& gpu,
                                  const StreamingParameters& parameters);

// T = launch + steps * hop + bytes / bandwidth of the narrowest path. Ring steps: 2 (n - 1) of all-reduce
// over PCIe, 2 over a switched link (multimem or two-shot), n - 1 of a pairwise exchange over PCIe and 1 over
// a link.
Seconds collective_structural_time(const Collective& op, const Work& work, const GpuSpec& gpu,
                                   const StreamingParameters& parameters);

// B/s, one direction of one GPU, along the narrowest path of the collective.
double collective_bandwidth(const Collective& op, const GpuSpec& gpu, const StreamingParameters& parameters);

}  // namespace warploom
