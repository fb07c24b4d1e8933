// The kernels of one forward pass on one GPU.
//
// The operators are those an engine launches with a CUDA graph, after vLLM: fused qkv and gate_up
// projections, residual additions inside the norms, vocabulary-parallel embedding and lm_head. A linear layer
// whose scheme quantises its activations inside the call (quantises_activations) has no Quantize operator of
// its own; static fp8 has one per projection.
#pragma once

#include "warploom/models/architecture.h"
#include "warploom/models/graph_options.h"
#include "warploom/models/operator_node.h"
#include "warploom/models/sharding.h"
#include "warploom/models/step_shape.h"

namespace warploom {

// The whole graph of one step. Throws InvalidInput on a sharding that check_sharding refuses or a step
// without tokens. For many steps of one model keep a StepPlan (step_plan.h).
OperatorGraph build_operator_graph(const ModelArchitecture& model, const Sharding& sharding,
                                   const StepShape& step, const GraphOptions& options = {});

}  // namespace warploom
