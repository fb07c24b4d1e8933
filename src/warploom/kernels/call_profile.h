// A call on a GPU in numbers: tiles, schedule, demand on each pipeline, times.
#pragma once

#include "warploom/kernels/physical_bound.h"
#include "warploom/kernels/structural_price.h"
#include "warploom/kernels/task_grid.h"

namespace warploom {

// Times in seconds, of the whole GPU. Grid quantities are those of the dominant kernel (the one with the
// longest pipeline time); pipeline times add up over the kernels of the call.
struct KernelProfile {
  Family family = Family::Gemm;
  Work work;

  double tasks = 0;  // blocks
  double steps = 0;  // mean inner iterations of a block
  double longest_steps = 0;
  double tile_m = 0, tile_n = 0;  // rows, and columns or keys; 0 without tiles
  double splits = 1;              // of the inner length
  double occupancy = 1;           // blocks that one SM holds
  double waves = 0;               // tasks / (SMs * occupancy)
  double sm_waves = 0;            // tasks / SMs
  double wave_fill = 1;           // of the SMs over whole waves
  double balance = 1;             // busiest SM / mean SM
  double padding = 1;             // FLOP that the grid executes / FLOP of the operator
  double resident_share = 0;      // of weights (or all operands) expected in L2 at the start
  double unit_rate = 0;           // FLOP per clock per SM of the matrix unit in use
  double launches = 1;

  // What the kernels ask of each pipeline as they execute: padding and what tiles read again included. Each
  // t_ is the time that its pipeline alone needs for it at data-sheet rates.
  PipelineDemand demand;
  double t_tensor = 0, t_fma = 0, t_special = 0, t_shared = 0, t_l2 = 0, t_dram = 0, t_network = 0;
  double t_launch = 0;  // of the structural model; the roofline takes 2 us a launch, 4 us a collective
  double t_useful = 0;  // products of the operator without padding at the unit's peak

  double roofline = 0;    // RooflineModel's p50
  double structural = 0;  // price.seconds, at least the physical bound
  StructuralPrice price;  // its parts
  double physical_bound = 0;
  Bound limited_by = Bound::Dram;  // what sets the roofline
  Bound bound = Bound::Launch;     // what sets the physical bound

  RoutingLoad routing;  // FusedMoe alone
};

}  // namespace warploom
