// What the published features are computed from and what they are: the hardware vector, and the features of
// each pipeline. Memory amounts are in KiB, cycles are SM clocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warploom/hardware/gpu_spec.h"

namespace warploom::published {

// The hardware vector.
struct Hardware {
  double sms = 0, clock_mhz = 0;
  double dram_gb_per_s = 0, l2_gb_per_s = 0;
  double tensor_half = 0, tensor_fp8 = 0;  // FLOP per clock per SM
  double fma_lanes = 128, special_lanes = 16;
  double shared_bytes_per_clock = 128;
  double shared_kib = 0;  // per SM; FlashAttention-2 alone asks for it
  bool hopper = false;

  static Hardware of(const GpuSpec& gpu);
};

// Four features of an arithmetic pipeline.
struct Pipe {
  double total_ops = 0, total_cycles = 0, busiest_ops = 0, busiest_cycles = 0;
};

// Seven features of the memory pipelines; "busiest" is the SM with the most.
struct Memory {
  double total_kib = 0, dram_cycles = 0, l2_cycles = 0;
  double busiest_kib = 0, busiest_dram_cycles = 0, busiest_shared_cycles = 0, busiest_l2_cycles = 0;
};

// Eleven features (one pipe and memory) or fifteen (two pipes and memory).
struct Features {
  std::optional<Pipe> tensor, fma, special;
  Memory memory;

  // Cycles of the whole GPU that the published efficiency is measured against: tensor, or FMA plus special.
  double theory_cycles() const;
  // In published order: pipes as declared above, four each, then memory's seven.
  std::vector<double> values() const;
  std::vector<std::string> names() const;  // of values()
};

}  // namespace warploom::published
