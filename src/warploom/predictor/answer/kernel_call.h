// A call of a kernel that is to be priced, as it is carried through the estimates of one operator.
#pragma once

#include <cstdint>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/known_kernel.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// All that it refers to must outlive it.
struct KernelCall {
  const Operator& op;            // of the kind below: where other scales answer, restated in them
  const GpuSpec& gpu;            // that it runs on
  const KernelContext& context;  // the names that were asked for
  std::uint32_t kind = 0;        // whose cells answer (CellIndex::Found::kind)
  const ContextKernel& kernel;   // whose rules its structural time follows
};

}  // namespace warploom
