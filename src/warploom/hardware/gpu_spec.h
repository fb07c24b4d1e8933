// What a GPU is: the numbers that bound a kernel, from data sheets, with their source in the record.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"
#include "warploom/hardware/interconnect.h"

namespace warploom {

enum class Vendor { Nvidia, Amd };
template <>
struct EnumNames<Vendor> {
  static constexpr std::array<std::pair<Vendor, std::string_view>, 2> kNames{
      {{Vendor::Nvidia, "nvidia"}, {Vendor::Amd, "amd"}}};
};

// Generations of one instruction set and memory system; the unit of "a generation never measured".
// Blackwell is the data-centre part (sm_100, sm_103: tensor memory, 2-SM matrix instructions); BlackwellRtx
// the graphics part (sm_120, sm_121), whose SM resembles Ada's.
enum class Generation { Pascal, Volta, Turing, Ampere, Ada, Hopper, Blackwell, BlackwellRtx, Cdna3, Cdna4 };
template <>
struct EnumNames<Generation> {
  static constexpr std::array<std::pair<Generation, std::string_view>, 10> kNames{
      {{Generation::Pascal, "pascal"},
       {Generation::Volta, "volta"},
       {Generation::Turing, "turing"},
       {Generation::Ampere, "ampere"},
       {Generation::Ada, "ada"},
       {Generation::Hopper, "hopper"},
       {Generation::Blackwell, "blackwell"},
       {Generation::BlackwellRtx, "blackwell_rtx"},
       {Generation::Cdna3, "cdna3"},
       {Generation::Cdna4, "cdna4"}}};
};

// Dense matrix-unit operations per clock per SM, a multiply-add counting two; 0 = not supported.
// Rates with fp32 (int8: int32) accumulation, as libraries use them. fp4 is the rate of nvfp4 and mxfp4
// operands.
struct TensorRates {
  double fp32 = 0, tf32 = 0, fp16 = 0, fp8 = 0, fp4 = 0, int8 = 0;  // fp16 also bf16, if supported
  static FieldTable describe();
};

// One GPU. Immutable after load and shared between threads. "SM" stands for CU on AMD.
struct GpuSpec {
  std::string name;                  // canonical id: lower case, for example "h100_sxm"
  std::vector<std::string> aliases;  // names in data sets, drivers and other tools
  std::string title;                 // for people: "NVIDIA H100 SXM 80GB"
  Vendor vendor = Vendor::Nvidia;
  Generation generation = Generation::Hopper;
  std::int64_t compute_capability = 0;  // CUDA compute capability times ten (90 = sm_90); 0 on AMD
  std::int64_t year = 0;                // of launch
  std::int64_t sm_count = 0;
  Hertz boost_clock;  // SM clock at which tensor_rates give the data sheet's dense peaks
  Hertz base_clock;   // guaranteed within the power limit
  Hertz max_clock;    // highest SM clock that the driver allows; at least boost_clock (equal when not given)
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
  std::string source;                   // where the numbers come from

  // hash_bytes(name), set on load; a key for tables per GPU. Not part of the record.
  std::uint64_t name_hash = 0;

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
