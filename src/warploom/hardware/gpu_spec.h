// What a GPU is: the numbers that bound a kernel, from data sheets, with their source in the record.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"
#include "warploom/hardware/gpu_kinds.h"
#include "warploom/hardware/interconnect.h"

namespace warploom {

// Dense matrix-unit operations per clock per SM, a multiply-add counting two; 0 = not supported.
// Rates with fp32 (int8: int32) accumulation, as libraries use them. fp4 is the rate of nvfp4 and mxfp4
// operands.
struct TensorRates {
  double fp32 = 0, tf32 = 0, fp16 = 0, fp8 = 0, fp4 = 0, int8 = 0;  // fp16 also bf16, if supported
  static FieldTable describe();
};

// The part by whose data sheet the clock under full matrix load is known: the largest of the silicon, whose
// power limit is set for such work.
struct LargestPart {
  double watts = 0;  // 0: no such part is on record
  double sms = 0;
  double boost_ghz = 0, highest_ghz = 0;  // of the data sheet and of the driver
  double rate = 0;                        // bf16 FLOP per clock per SM
  double clocks() const { return sms * boost_ghz; }
};

// One GPU. Immutable after load and shared between threads. "SM" stands for CU on AMD.
struct GpuSpec {
  std::string name;                  // canonical id: lower case, for example "h100_sxm"
  std::vector<std::string> aliases;  // names in data sets, drivers and other tools
  std::string title;                 // for people: "NVIDIA H100 SXM 80GB"
  std::string device_name;           // as its driver prints it: "NVIDIA H100 80GB HBM3"; empty = unknown
  Vendor vendor = Vendor::Nvidia;
  Generation generation = Generation::Hopper;
  std::int64_t compute_capability = 0;  // CUDA compute capability times ten (90 = sm_90); 0 on AMD
  GpuClass gpu_class = GpuClass::DataCentre;
  MemoryKind memory_kind = MemoryKind::Hbm;
  MatrixInstruction matrix_instruction = MatrixInstruction::None;
  std::int64_t sm_design = 0;       // gpu_class.h: architecture_class
  std::int64_t sm_design_year = 0;  // of the first part of that design, 0 = not to be used for trends
  double process_nm = 0;            // of the silicon, 0 = unknown
  std::int64_t year = 0;            // of launch
  std::int64_t sm_count = 0;
  Hertz boost_clock;  // SM clock at which tensor_rates give the data sheet's dense peaks
  Hertz base_clock;   // guaranteed within the power limit
  Hertz max_clock;    // highest SM clock that the driver allows; at least boost_clock (equal when not given)
  std::string largest_part;           // name of the GPU that `largest` describes; empty = none on record
  TensorRates tensor_rates;           // per clock per SM at dense rate
  bool supports_bf16 = true;          // P100, P4, V100 and T4 do not
  double fma_lanes = 0;               // fp32 fused multiply-adds per clock per SM (each 2 FLOP)
  double special_function_lanes = 0;  // exp2, rcp, rsqrt results per clock per SM
  Bytes memory_capacity;              // as the driver reports it, a little below the name's figure
  BytesPerSecond memory_bandwidth;    // peak
  Bytes l2_capacity;                  // the cache all SMs share (AMD: the Infinity Cache)
  BytesPerSecond l2_bandwidth;        // read, measured or estimated; the record's source says which
  Bytes shared_memory_per_sm;
  Bytes max_shared_memory_per_block;
  double shared_bytes_per_clock = 128;  // shared-memory bandwidth per SM
  std::int64_t registers_per_sm = 65536;
  std::int64_t max_threads_per_sm = 2048;
  std::int64_t max_blocks_per_sm = 32;
  Watts power_limit;
  LinkKind link_kind = LinkKind::None;  // NvLink, InfinityFabric or None
  BytesPerSecond link_bandwidth;        // per GPU, one direction; 0 = none
  BytesPerSecond pcie_bandwidth;        // one direction
  std::int64_t link_domain_size = 1;    // GPUs joined by the link in the usual node or rack
  Seconds link_hop;                     // one more rank's share of the smallest collective
  bool link_reduces = false;            // the link's switches add up (NVLink SHARP)
  std::string source;                   // where the numbers come from

  // hash_bytes(name), set on load; a key for tables per GPU. Not part of the record.
  std::uint64_t name_hash = 0;
  // What largest_part means, set by the catalog. Not part of the record.
  LargestPart largest;

  // Derived, all O(1).
  double sm_cycles_per_second() const { return double(sm_count) * boost_clock.value(); }
  FlopPerSecond fma_rate() const { return FlopPerSecond(2.0 * fma_lanes * sm_cycles_per_second()); }
  // Rate of the whole GPU at boost_clock, from one of tensor_rates: tensor_rate(gpu.tensor_rates.fp8).
  FlopPerSecond tensor_rate(double flop_per_clock_per_sm) const {
    return FlopPerSecond(flop_per_clock_per_sm * sm_cycles_per_second());
  }
  // max_clock / boost_clock: how much faster than the data sheet a light kernel may run. At least 1.
  double clock_headroom() const { return std::max(1.0, max_clock / boost_clock); }

  // Throws InvalidInput saying which value contradicts which (clocks out of order, a block's shared memory
  // larger than the SM's, link without domain, ...). Ranges of single values
  // are checked when a record is read.
  void check(std::string_view where) const;

  static FieldTable describe();
};

}  // namespace warploom
