// What a task, a kernel or an operator asks of each pipeline, and how long each pipeline needs for it.
#pragma once

#include <algorithm>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Units: FLOP, FLOP, results, bytes, bytes, bytes, bytes.
struct PipelineDemand {
  double tensor_flop = 0, fma_flop = 0, special_ops = 0;
  double shared_bytes = 0, l2_bytes = 0, dram_bytes = 0, network_bytes = 0;

  constexpr PipelineDemand& operator+=(const PipelineDemand& other) {
    tensor_flop += other.tensor_flop;
    fma_flop += other.fma_flop;
    special_ops += other.special_ops;
    shared_bytes += other.shared_bytes;
    l2_bytes += other.l2_bytes;
    dram_bytes += other.dram_bytes;
    network_bytes += other.network_bytes;
    return *this;
  }
  friend constexpr PipelineDemand operator+(PipelineDemand a, const PipelineDemand& b) { return a += b; }
  friend constexpr PipelineDemand operator*(PipelineDemand a, double f) {
    a.tensor_flop *= f;
    a.fma_flop *= f;
    a.special_ops *= f;
    a.shared_bytes *= f;
    a.l2_bytes *= f;
    a.dram_bytes *= f;
    a.network_bytes *= f;
    return a;
  }
};

// Seconds that each pipeline of the whole GPU needs at data-sheet rates, perfectly spread.
struct PipelineTimes {
  double tensor = 0, fma = 0, special = 0, shared = 0, l2 = 0, dram = 0, network = 0;

  // The longest of the pipelines inside an SM: an unbalanced schedule stretches this.
  double compute() const { return std::max({tensor, fma, special, shared}); }
  double memory() const { return std::max({l2, dram, network}); }
  double longest() const { return std::max(compute(), memory()); }
  Bound bound() const;
};

// tensor_rate in FLOP per clock per SM; network in B/s, one direction of one GPU (0 = no network demand).
PipelineTimes pipeline_times(const PipelineDemand& demand, const GpuSpec& gpu, double tensor_rate,
                             double network_bandwidth);

}  // namespace warploom
