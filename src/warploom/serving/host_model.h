// What the CPU adds to a step of the GPU:
//   T_step = T_gpu + dispatch + max(0, host_floor - T_gpu) + serial tail,
// the step equation of KernelSight-LM (arXiv 2606.28565, section 5.7), where each of the three host terms is a
// constant plus a cost per sequence of the batch or per layer.
#pragma once

#include <cstdint>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

// Defaults: vLLM v1. They are fitted values, see README.md of this folder for the run they were fitted on.
struct HostModel {
  Seconds dispatch{0.0};                // before the GPU can start, never hidden
  Seconds dispatch_per_sequence{0.0};
  Seconds host_floor{0.0};              // CPU work of a step that overlaps with the GPU
  Seconds host_floor_per_sequence{0.0};
  Seconds serial_tail{milliseconds(0.3)};  // after the GPU, before the next step: output processing
  Seconds serial_tail_per_sequence{microseconds(5)};
  Seconds frontend_latency{0.0};        // per request, from the client to the engine's queue

  // Throws InvalidInput on negative values.
  static FieldTable describe();
  // Host time that a step adds to `gpu`. >= 0.
  Seconds overhead(Seconds gpu, std::int64_t sequences) const {
    const double n = double(sequences);
    const Seconds floor = host_floor + n * host_floor_per_sequence;
    const Seconds exposed = floor > gpu ? floor - gpu : Seconds(0.0);
    return dispatch + n * dispatch_per_sequence + exposed + serial_tail + n * serial_tail_per_sequence;
  }
};

}  // namespace warploom
