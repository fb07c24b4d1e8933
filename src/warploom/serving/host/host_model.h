// What the CPU adds to a step of the GPU:
//   T_step = T_gpu + dispatch + max(0, host_floor - T_gpu) + serial tail,
// the step equation of KernelSight-LM (arXiv 2606.28565, section 5.7), where each of the three host terms is
// a constant plus a cost per sequence of the batch. Steps that prefill without a CUDA graph have a higher
// floor: every kernel is launched from Python.
#pragma once

#include <cstdint>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

// Defaults: an engine of which nothing is known; EngineSpec::host has each engine's, and without a front end,
// which engine logs do not see. 0.3 ms and 5 us are
// one of three candidates, preferred on 696 fixed-concurrency runs of vLLM with the kernels of that time
// (vLLM has 0.1 ms since decision 0030); their effect on the static batches and two request-by-request runs
// was known, and a mixture of experts over data-parallel ranks gets worse with them
// (docs/accuracy/known_gaps.md). A run of Llama-3.1-8B on one RTX PRO 6000 says what its step must come
// to: 13.3 ms, plus 0.10 us for each context token of decoding requests, plus 40.3 us for each prompt token;
// no term for each decoding request can be told from zero.
struct HostModel {
  Seconds dispatch{0.0};  // before the GPU can start, never hidden
  Seconds dispatch_per_sequence{0.0};
  Seconds host_floor{0.0};  // CPU work of a step that overlaps with the GPU
  Seconds host_floor_per_sequence{0.0};
  Seconds prefill_floor{0.0};  // the same as host_floor, of a step that prefills without a CUDA graph
  Seconds serial_tail{milliseconds(0.3)};  // after the GPU, before the next step: output processing
  Seconds serial_tail_per_sequence{microseconds(5)};
  Seconds frontend_latency{0.0};    // per request, from the client to the engine's queue
  Seconds frontend_per_token{0.0};  // tokenising, for each prompt token; one prompt after the other

  // Throws InvalidInput on negative values.
  static FieldTable describe();
  // Host time that a step adds to `gpu`; `prefill`: it prefills without a CUDA graph. >= 0.
  Seconds overhead(Seconds gpu, std::int64_t sequences, bool prefill) const {
    const double n = double(sequences);
    return dispatch + n * dispatch_per_sequence + exposed(gpu, sequences, prefill) + serial_tail +
           n * serial_tail_per_sequence;
  }
  // Parts of it: before the GPU starts, what the floor leaves beside the GPU, and after the GPU.
  Seconds before(std::int64_t sequences) const {
    return dispatch + double(sequences) * dispatch_per_sequence;
  }
  Seconds exposed(Seconds gpu, std::int64_t sequences, bool prefill) const {
    const Seconds own = host_floor + double(sequences) * host_floor_per_sequence;
    const Seconds floor = prefill && prefill_floor > own ? prefill_floor : own;
    return floor > gpu ? floor - gpu : Seconds(0.0);
  }
  Seconds after(std::int64_t sequences) const {
    return serial_tail + double(sequences) * serial_tail_per_sequence;
  }
};

// What clients of the engines' OpenAI servers see on top: HTTP and scheduling, then tokenising.
void add_client_frontend(HostModel& host);

}  // namespace warploom
