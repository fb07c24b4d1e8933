// Which unit of a GPU multiplies a scheme's operands, and how fast.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/data_type.h"

namespace warploom {

struct MatrixUnit {
  double flop_per_clock_per_sm = 0;  // a multiply-add counts two
  bool tensor = true;                // false: CUDA cores, demand falls on the fma pipeline
  bool weight_only = false;  // the GPU lacks the narrow type: weights are widened to 16 bit on the fly
};

// The unit for a matrix product. 16-bit and fp32 products fall back to CUDA cores where no matrix unit takes
// them. fp8 and fp4 weights run on GPUs without such units as weight-only (Marlin kernels, compute capability
// >= 8.0). Throws Unsupported naming what the GPU can run instead. O(1).
MatrixUnit matrix_unit(MatmulScheme scheme, const GpuSpec& gpu);

// The unit for the products of an attention kernel. A narrow cache does not need narrow units.
// Throws Unsupported. O(1).
MatrixUnit attention_unit(DataType compute, const GpuSpec& gpu);

// The fastest rate at which any implementation could form the products of an attention kernel: engines with
// an 8-bit cache may quantise queries too, whatever their label says. Same unit as MatrixUnit. O(1).
double fastest_attention_rate(DataType compute, DataType kv_cache, const GpuSpec& gpu);

}  // namespace warploom
