// Products whose scales are known beforehand, from measured calls that work their scales out.
//
// The engines' calls in fp8 quantise what they multiply. With dynamic scales that is a pass over the inputs
// (three kernels in TensorRT-LLM: 8.5 us for any few tokens, more than many a product), and the measured
// rows hold it. With static scales it is a kernel of its own (a Quantize of the graph) or part of the
// kernel before.
#pragma once

#include <optional>

#include "warploom/kernels/latency_model.h"
#include "warploom/predictor/model/cell_index.h"

namespace warploom {

// The pass that the row behind an answer holds and the operator does not; nothing where they quantise
// alike, or where the row is of another GPU.
std::optional<Quantize> held_pass(const Operator& op, const CellIndex::Found& found);

// Takes the pass off; the estimate stays at or above its physical bound.
void take_off(LatencyEstimate& estimate, const LatencyEstimate& pass);

}  // namespace warploom
