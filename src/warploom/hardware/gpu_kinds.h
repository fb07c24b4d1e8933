// The closed lists that a GPU's record chooses from: what the part is, not how fast.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"

namespace warploom {

enum class Vendor { Nvidia, Amd };
template <>
struct EnumNames<Vendor> {
  static constexpr std::array<std::pair<Vendor, std::string_view>, 2> kNames{
      {{Vendor::Nvidia, "nvidia"}, {Vendor::Amd, "amd"}}};
};

// Generations of one instruction set and memory system; the unit of "a generation never measured". A name for
// people and for grouping: what a kernel may rely on are the kinds below and the predicates of gpu_class.h.
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

// What the die was designed for, whatever the board is sold as: L4, L40S and RTX PRO 6000 Server are boards
// for data centres with a graphics die (one L2 partition, small shared memory, GDDR).
enum class GpuClass : std::uint8_t { DataCentre, Graphics };
template <>
struct EnumNames<GpuClass> {
  static constexpr std::array<std::pair<GpuClass, std::string_view>, 2> kNames{
      {{GpuClass::DataCentre, "data_centre"}, {GpuClass::Graphics, "graphics"}}};
};

enum class MemoryKind : std::uint8_t { Hbm, Gddr, Lpddr };
template <>
struct EnumNames<MemoryKind> {
  static constexpr std::array<std::pair<MemoryKind, std::string_view>, 3> kNames{
      {{MemoryKind::Hbm, "hbm"}, {MemoryKind::Gddr, "gddr"}, {MemoryKind::Lpddr, "lpddr"}}};
};

// The best matrix instruction of an SM: what kernels are written for.
enum class MatrixInstruction : std::uint8_t {
  None,       // Pascal: products run on FMA lanes
  Mma,        // one warp, operands and sums in registers (Volta to Ampere, Ada)
  MmaScaled,  // the same with scaled fp8 and fp4 operands (sm_120)
  Wgmma,      // four warps, asynchronous, operands out of shared memory (Hopper)
  Tcgen05,    // asynchronous, one or two SMs, sums in tensor memory (data-centre Blackwell)
  Mfma        // AMD's, one wavefront, operands and sums in registers
};
template <>
struct EnumNames<MatrixInstruction> {
  static constexpr std::array<std::pair<MatrixInstruction, std::string_view>, 6> kNames{
      {{MatrixInstruction::None, "none"},
       {MatrixInstruction::Mma, "mma"},
       {MatrixInstruction::MmaScaled, "mma_scaled"},
       {MatrixInstruction::Wgmma, "wgmma"},
       {MatrixInstruction::Tcgen05, "tcgen05"},
       {MatrixInstruction::Mfma, "mfma"}}};
};

}  // namespace warploom
