// Launches of one operator in a CUDA graph, timed by events that are nodes of the graph.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <string>

#include "warploom/collector/device.h"

namespace warploom::collector {

// Puts one execution of the operator on the stream. Each call takes fresh slices of the pools for what should
// not be in the cache. Throws Unmeasurable.
using Launch = std::function<void(cudaStream_t)>;

struct GraphNeeds {
  std::size_t cold_bytes = 0;     // that one launch reads from fresh slices; 0: nothing is rotated
  std::size_t l2_bytes = 0;       // of the device
  double graph_seconds = 1.0e-3;  // that one graph should take
};

// `hold` lives as long as the case: what the launches refer to.
std::unique_ptr<PreparedCase> make_graph_case(const Launch& launch, const GraphNeeds& needs,
                                              std::string algorithm, std::shared_ptr<void> hold = nullptr);

}  // namespace warploom::collector
