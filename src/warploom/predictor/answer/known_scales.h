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

// The pass that the rows behind an answer hold and the operator does not, on this GPU or others; nothing
// where they quantise alike.
std::optional<Quantize> held_pass(const Operator& op, const CellIndex::Found& found);

// `pass` on a GPU where the row was not measured: no more of it than makes the product with static scales as
// fast as rows of equal bytes and products ever were beside each other.
LatencyEstimate likely_pass(LatencyEstimate pass, const LatencyEstimate& row);

// Takes the pass off; the estimate stays above its physical bound, and its interval holds that of the pass.
void take_off(LatencyEstimate& estimate, const LatencyEstimate& pass);

}  // namespace warploom
