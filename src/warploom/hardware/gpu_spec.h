// What a GPU is: the numbers that bound a kernel, from data sheets, with their source in the record.
#pragma once

#include <cstdint>
#include <string>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

enum class Vendor { Nvidia, Amd };
template <>
struct EnumNames<Vendor> {
  static constexpr std::array<std::pair<Vendor, std::string_view>, 2> kNames{
      {{Vendor::Nvidia, "nvidia"}, {Vendor::Amd, "amd"}}};
};

// Generations of one instruction set and memory system; the unit of "a generation never measured".
enum class Generation { Pascal, Volta, Turing, Ampere, Ada, Hopper, Blackwell, Cdna3, Cdna4 };
template <>
struct EnumNames<Generation> {
  static constexpr std::array<std::pair<Generation, std::string_view>, 9> kNames{
      {{Generation::Pascal, "pascal"}, {Generation::Volta, "volta"}, {Generation::Turing, "turing"},
       {Generation::Ampere, "ampere"}, {Generation::Ada, "ada"}, {Generation::Hopper, "hopper"},
       {Generation::Blackwell, "blackwell"}, {Generation::Cdna3, "cdna3"}, {Generation::Cdna4, "cdna4"}}};
};

// Dense matrix-unit operations per clock per SM, a multiply-add counting two; 0 = not supported.
// fp4 is the rate of nvfp4 and mxfp4 operands.
struct TensorRates {
  double fp32 = 0, tf32 = 0, fp16 = 0, fp8 = 0, fp4 = 0, int8 = 0;  // fp16 stands for bf16 too
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
  Hertz boost_clock;  // maximum SM clock
  Hertz base_clock;
  TensorRates tensor_rates;            // per clock per SM at dense rate
  double fma_lanes = 0;                // fp32 fused multiply-adds per clock per SM (each 2 FLOP)
  double special_function_lanes = 0;   // exp2, rcp, rsqrt results per clock per SM
  Bytes memory_capacity;
  BytesPerSecond memory_bandwidth;     // peak
  Bytes l2_capacity;
  BytesPerSecond l2_bandwidth;         // read, measured or estimated; the record's source says which
  Bytes shared_memory_per_sm;
  Bytes max_shared_memory_per_block;
  double shared_bytes_per_clock = 128;  // shared-memory bandwidth per SM
  std::int64_t registers_per_sm = 65536;
  std::int64_t max_threads_per_sm = 2048;
  std::int64_t max_blocks_per_sm = 32;
  Watts power_limit;
  BytesPerSecond link_bandwidth;       // per GPU, one direction: NVLink or Infinity Fabric; 0 = none
  BytesPerSecond pcie_bandwidth;       // one direction
  std::int64_t link_domain_size = 1;   // GPUs joined by the link in the usual node or rack
  std::string source;                  // where the numbers come from

  // Derived.
  FlopPerSecond fma_rate() const { return FlopPerSecond(2.0 * fma_lanes * double(sm_count) * boost_clock.value()); }

  static FieldTable describe();
};

}  // namespace warploom
