// Few tokens read every weight once. How fast that goes inside an engine's step.
//
// Public tables time one product after the other, over and over, and one mixture of experts per replay of a CUDA
// graph. Inside a step the same kernels are faster: between them stand small kernels that let the memory rest, and
// no graph begins. Fitted on vLLM 0.24 on an H200 (weight_streams.cpp names the steps).
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Shortens `answer`, the measured time of a product or a mixture of experts, to what the kernel takes inside a
// step, its interval in proportion. `quantising`: of the product's activations, which stays. Returns whether it
// did; the answer is never made longer, nor shorter than the physical bound.
bool stream_weights(const Operator& op, const GpuSpec& gpu, Seconds quantising, LatencyEstimate& answer);

}  // namespace warploom
