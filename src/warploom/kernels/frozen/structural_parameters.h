// The constants of the structural models: what a kernel costs beyond its bounds. Learned from measurements by
// the predictor; the defaults are typical values, so that an unknown GPU still gets a sane time.
#pragma once

#include "warploom/base/fields.h"
#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// Tiled products (gemm_tile_model.h).
struct GemmParameters {
  double tensor_efficiency = 0.88;  // of the matrix unit's rate in a large tile's steady loop
  double tile_m_exponent = 0.37;    // (rows / 128)^x of the rate of smaller tiles, capped at 1
  double tile_n_exponent = 0.45;
  double feed_bytes_per_clock = 100;  // operands into one SM from L2
  double step_clocks = 25;            // per 64 elements of the inner length
  double prologue_clocks = 1300;      // per wave
  double epilogue_clocks_per_byte = 0.024;
  Seconds split_time = microseconds(3.0);  // reduction of a split inner length
  double dram_efficiency = 0.78;
  double warm_efficiency = 0.31;  // of L2 bandwidth, for operands that rest there
  double cache_fraction = 0.65;   // of L2 that keeps weights between launches
  double cache_sharpness = 6;     // of the transition from resident to not
  Seconds launch_time = microseconds(1.6);
  double overlap_power = 2.9;                   // p of (compute^p + memory^p)^(1/p)
  double weight_only_efficiency = 0.75;         // of the matrix rate when weights are widened on the fly
  Seconds quantise_launch = microseconds(4.5);  // the pass that quantises activations
  double quantise_efficiency = 0.5;             // of DRAM or L2 bandwidth in that pass
  double core_efficiency = 0.7;                 // of the fma rate where no matrix unit serves
  static FieldTable describe();
};

// Attention kernels (structural_time.h); the defaults are those of prefill.
struct AttentionParameters {
  double tensor_efficiency = 0.62;
  double exponential_share = 0.59;               // of exponential time that does not hide behind products
  double step_clocks = 67;                       // per iteration over keys
  double task_clocks = 2500;                     // per block: prologue and epilogue
  Seconds decode_step_time = microseconds(0.3);  // latency of one 128-key iteration of decode
  double dram_efficiency = 0.46;
  double warm_efficiency = 0.29;
  double cache_fraction = 0.7;
  double cache_sharpness = 6;
  Seconds launch_time = microseconds(8.4);
  Seconds combine_time = microseconds(2.5);  // merging split keys
  double overlap_power = 1.45;
  static FieldTable describe();
};

// Fused mixture of experts.
struct MoeParameters {
  GemmParameters gemm;
  Seconds launch_time = microseconds(35.0);  // of all kernels together
  Seconds pair_time = microseconds(0.0007);  // permute and weighted sum, per pair and 4,096 of hidden width
  double dram_efficiency = 0.85;
  static FieldTable describe();
};

// Element-wise and row-wise kernels, and collectives.
struct StreamingParameters {
  Seconds launch_time = microseconds(1.8);
  double dram_efficiency = 0.80;
  double l2_efficiency = 0.55;
  double cache_fraction = 0.65;
  double cache_sharpness = 6;
  double compute_efficiency = 0.5;
  Seconds collective_launch = microseconds(5.0);
  Seconds hop_time = microseconds(0.6);  // per step of a ring or exchange
  double link_efficiency = 0.60;
  double pcie_efficiency = 0.40;
  BytesPerSecond node_bandwidth = gigabytes_per_second(50);  // per GPU between nodes (400 Gb/s)
  static FieldTable describe();
};

struct StructuralParameters {
  GemmParameters gemm;
  AttentionParameters prefill, decode;
  MoeParameters moe;
  StreamingParameters streaming;
  static FieldTable describe();
};

// Typical values: medians of constants fitted generation by generation to public kernel measurements. Only
// design facts differ by generation, so that leaving a generation's measurements out leaves no trace of them
// here.
StructuralParameters default_parameters(const GpuSpec& gpu);

}  // namespace warploom
