// The operators of one step of exact sizes, each at its price: what `step`, `diagnose` and traces list.
#pragma once

#include <optional>
#include <vector>

#include "warploom/app/serving/serving_setup.h"

namespace warploom {

struct PricedNode {
  OperatorNode node;
  LatencyEstimate one_call;
  KernelSource source;
};

struct PricedGraph {
  std::vector<PricedNode> nodes;    // in the order of the graph; those that run
  StepCost gpu;                     // of the step
  bool in_halves = false;           // the nodes are of two halves (BatchOverlap)
  Seconds hidden;                   // of the nodes' time, what runs beside others and is not in `gpu`
  Seconds host;                     // that the engine adds to gpu.p50
  Seconds host_least, host_most;    // where launches are not known
  std::optional<AfdBreakdown> afd;  // then the nodes are those of all micro-batches
};

// Without the padding of CUDA graphs; the prices are those that the setup's pricer has at such sizes. The
// labels point to static text. Throws what build_operator_graph and the model throw.
PricedGraph price_graph(const ServingSetup& setup, const StepShape& shape);

}  // namespace warploom
