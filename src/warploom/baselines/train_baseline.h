// Trains a baseline by its kind.
#pragma once

#include <memory>

#include "warploom/baselines/baseline.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Deterministic. The networks learn from an even draw of at most 8,000 rows of each library's kernel. The
// catalog must outlive the model.
std::unique_ptr<const LatencyModel> train_baseline(BaselineKind kind, const BaselineRows& rows,
                                                   const GpuCatalog& catalog);

}  // namespace warploom
