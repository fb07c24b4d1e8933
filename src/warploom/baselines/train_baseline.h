// Trains a baseline by its kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "warploom/baselines/baseline.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

struct BaselineTraining {
  // Networks of PipeWeave learn from an even draw of so many rows of each GPU and kernel; 0: from all.
  std::size_t rows_per_gpu = 0;
  std::size_t epochs = 0;   // of PipeWeave's networks, at most; 0: as published
  std::size_t threads = 0;  // 0: as many as the machine has; no effect on results
  std::function<void(std::string_view)> progress;
};

// Deterministic. The networks of Habitat and NeuSight learn from an even draw of at most 8,000 rows of each
// library's kernel. The catalog must outlive the model. A model that has learned nothing for a question
// answers with the roofline, and says so by the tier.
std::unique_ptr<const LatencyModel> train_baseline(BaselineKind kind, const BaselineRows& rows,
                                                   const GpuCatalog& catalog,
                                                   const BaselineTraining& training = {});

}  // namespace warploom
