// What a plan's deployments are called.
#pragma once

#include <string>

#include "warploom/app/plan/plan_request.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {

// A point in the words of the request.
struct PlanLabel {
  std::string engine, version, quantization, speculation;
  std::string gpu, decode_gpu;      // canonical names; decode_gpu empty: one pool
  std::string shape, decode_shape;  // "tp 4", "tp 2 pp 2", "tp 1 dp 8 ep", "tp 1 dp 8 + 4 ffn ep, 2 stages"
  std::string router;               // of those to choose from; else empty
  std::string exchange, decode_exchange;  // of those to choose from; else empty
  std::string shared_caches;              // in words; empty: none
  double measured_share = 0;              // of its kernels' time: priced by rows of the same GPU
  bool by_structure = false;              // rests beside its kernels on kAfdRestsOn
  bool encodes = false;                   // images, whose encoder was never timed: the shares are without it
};

// "tp 4", "tp 1 dp 8 ep deepep_low_latency".
std::string shape_words(const PlanRequest& request, const EngineShape& shape);

// Without the share of what was measured.
PlanLabel label_of_plan(const PlanRequest& request, GpuCatalog& catalog, const Configuration& configuration);

}  // namespace warploom
