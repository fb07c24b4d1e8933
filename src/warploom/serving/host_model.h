// What the CPU adds to a step of the GPU:
//   T_step = T_gpu + dispatch + max(0, host_floor - T_gpu) + serial tail,
// the step equation of KernelSight-LM (arXiv 2606.28565, section 5.7), where each of the three host terms is
// a constant plus a cost per sequence of the batch or per layer.
#pragma once

#include <cstdint>
#include <string_view>

#include "warploom/base/fields.h"
#include "warploom/base/units.h"

namespace warploom {

// Defaults: vLLM 0.19 with async scheduling and CUDA graphs. Fitted on one run, Llama-3.1-8B on one RTX PRO
// 6000 (300 ShareGPT requests, kernels interpolated from measured tables): mean TPOT within 2 %, mean TTFT
// within 6 %. Part of it is time of kernels that those tables leave out or measured with warm caches, so
// expect to lower it as kernels get better. That run's own token times say what a step must come to: 13.3 ms,
// plus 0.10 us for each context token of decoding requests, plus 40.3 us for each prompt token (mean residual
// 0.35 %; the term for each decoding request is not distinguishable from zero).
struct HostModel {
  Seconds dispatch{0.0};  // before the GPU can start, never hidden
  Seconds dispatch_per_sequence{0.0};
  Seconds host_floor{0.0};  // CPU work of a step that overlaps with the GPU
  Seconds host_floor_per_sequence{0.0};
  Seconds serial_tail{milliseconds(2.0)};  // after the GPU, before the next step: output processing
  Seconds serial_tail_per_sequence{microseconds(10)};
  Seconds frontend_latency{0.0};  // per request, from the client to the engine's queue

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

// The constants known for an engine ("vllm", "sglang", "trtllm") and a model of `layers` layers:
//   vllm    the defaults above
//   sglang  28 us per layer and step, fitted on static batches of dense models of 40 to 80 layers on H100
//   (decode within
//           2.5 %, prefill needs nothing); A100 needs less
//   trtllm  nothing: with quantisation counted as its own kernel, decode on H200 and B200 needed no constant
// Throws NotFound on another name. The front end is left at 0: measured clients saw 15 to 30 ms, engine logs
// see none.
HostModel default_host_model(std::string_view engine, std::int64_t layers);

}  // namespace warploom
