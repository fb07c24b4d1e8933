// What kernels may ask of a GPU's kind. Every decision by class, memory, matrix instruction or design of the
// SM goes through these questions, so that a new part answers all of them with its record, and a new matrix
// instruction with one enumerator and its place in the first two.
//
// All O(1), from the record alone.
#pragma once

#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// Matrix instructions run beside the warps that start them and read operands from shared or tensor memory, so
// kernels give loads, products and softmax warps of their own.
inline bool has_async_matrix_unit(const GpuSpec& gpu) {
  return gpu.matrix_instruction == MatrixInstruction::Wgmma ||
         gpu.matrix_instruction == MatrixInstruction::Tcgen05;
}
// Sums of products rest in tensor memory and two SMs may share one tile (tcgen05). The older instruction of
// one warp runs far below the rate of the new unit.
inline bool has_tensor_memory(const GpuSpec& gpu) {
  return gpu.matrix_instruction == MatrixInstruction::Tcgen05;
}
// The four-warp instruction of Hopper, for which libraries have kernels of their own.
inline bool has_wgmma(const GpuSpec& gpu) { return gpu.matrix_instruction == MatrixInstruction::Wgmma; }
// Instructions of one warp that take scaled fp8 and fp4 operands (sm_120).
inline bool has_scaled_mma(const GpuSpec& gpu) {
  return gpu.matrix_instruction == MatrixInstruction::MmaScaled;
}

// HBM, which reaches more of its peak than GDDR and LPDDR.
inline bool has_stacked_memory(const GpuSpec& gpu) { return gpu.memory_kind == MemoryKind::Hbm; }

// A graphics die: one L2 partition, which all SMs reach through one crossbar.
inline bool is_graphics_die(const GpuSpec& gpu) { return gpu.gpu_class == GpuClass::Graphics; }

// Sizes of shared memory for which kernels come in variants, by what one block may take.
enum class SharedMemorySize : std::uint8_t { Small, Middle, Large };
inline constexpr Bytes kMostSmallSharedMemory(100 * 1024);   // GA10x, Ada, sm_120: 99 KiB
inline constexpr Bytes kMostMiddleSharedMemory(164 * 1024);  // A100: 163 KiB
inline SharedMemorySize shared_memory_size(const GpuSpec& gpu) {
  if (gpu.max_shared_memory_per_block <= kMostSmallSharedMemory) return SharedMemorySize::Small;
  return gpu.max_shared_memory_per_block <= kMostMiddleSharedMemory ? SharedMemorySize::Middle
                                                                    : SharedMemorySize::Large;
}
inline bool has_small_shared_memory(const GpuSpec& gpu) {
  return shared_memory_size(gpu) == SharedMemorySize::Small;
}

// GPUs whose kernels are built alike share the design of their SM: the key of "an architecture never
// measured". Compute capability times ten of the oldest part of the design; GA10x counts with Ada, whose SM
// it shares; 1003 is CDNA 3, 1004 CDNA 4.
inline int architecture_class(const GpuSpec& gpu) { return int(gpu.sm_design); }

// Architectures for which libraries compile the same attention sources: graphics parts of different
// generations.
bool are_cousins(int architecture, int other);

// Groups of architectures that know nothing of each other's kernels. With Ampere came bf16, asynchronous
// copies and the merging of neighbours' reads between SMs and L2.
enum class Lineage { BeforeAmpere, SinceAmpere, Amd };
Lineage lineage_of(int architecture);

// Years between the launch of Hopper's design and this one's, for what changes with the years; 0 where the
// record has no year.
double years_since_hopper(const GpuSpec& gpu);

}  // namespace warploom
